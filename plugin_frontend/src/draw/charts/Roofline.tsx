import type { RooflinePoint, RooflineView } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatCounted, formatDecimal, formatShare } from "../../format/number.ts";
import { type LogRange, layOutRoofline, partOf, type RooflineLayout } from "../../model/charts/roofline.ts";

const WIDTH = 520;
const HEIGHT = 230;
const LEFT = 44;
const RIGHT = 20;
const TOP = 16;
const BOTTOM = 34;
const SMALLEST = 3;
const LARGEST = 14;

/** One mark an operator and its inputs, its area the time above the limit, below what the device can do at most. */
export function Roofline({ view }: { view: RooflineView }) {
  const layout = layOutRoofline(view);
  if (layout === null) return null;
  const most = Math.max(...layout.points.map((point) => point.above_limit_us ?? 0), 0);
  const { x, y } = scalesOf(layout);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      class="roofline"
      role="img"
      aria-label={`Roofline: ${formatCounted(layout.points.length, "operator")} by FLOPs a byte and TFLOP/s`}
    >
      {powers(layout.upwards).map((power) => (
        <g key={power}>
          <path d={`M${LEFT} ${y(10 ** power)}H${WIDTH - RIGHT}`} class="st-line" />
          <text x={LEFT - 6} y={y(10 ** power) + 4} text-anchor="end" class="tx3">
            {powerText(power)}
          </text>
        </g>
      ))}
      {powers(layout.across).map((power) => (
        <text key={power} x={x(10 ** power)} y={HEIGHT - 18} text-anchor="middle" class="tx3">
          {powerText(power)}
        </text>
      ))}
      <text x="0" y="10" class="tx3">
        TFLOP/s
      </text>
      <text x={WIDTH - RIGHT} y={HEIGHT - 4} text-anchor="end" class="tx3">
        FLOPs a byte
      </text>
      <Roofs view={view} layout={layout} />
      {[...layout.points].reverse().map((point, at) => (
        <circle
          key={at}
          cx={x(point.flops_per_byte)}
          cy={y(point.tflops)}
          r={SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(most > 0 ? (point.above_limit_us ?? 0) / most : 0)}
          class={point.bound === "memory" ? "f-copy mark" : "f-compute mark"}
        >
          <title>{aboutPoint(point)}</title>
        </circle>
      ))}
      <RoofNames view={view} layout={layout} />
    </svg>
  );
}

function scalesOf({ across, upwards }: RooflineLayout) {
  return {
    x: (value: number): number => LEFT + partOf(across, value) * (WIDTH - LEFT - RIGHT),
    y: (value: number): number => HEIGHT - BOTTOM - partOf(upwards, value) * (HEIGHT - BOTTOM - TOP),
  };
}

/** The slope of the memory up to the highest roof, and each roof from where it leaves the slope. */
function Roofs({ view, layout }: { view: RooflineView; layout: RooflineLayout }) {
  const { x, y } = scalesOf(layout);
  const [highest] = view.roofs;
  if (view.memory_tb_s === null || highest === undefined) return null;
  const start = 10 ** Math.max(layout.across.first, layout.upwards.first - Math.log10(view.memory_tb_s));
  return (
    <>
      <path d={`M${x(start)} ${y(start * view.memory_tb_s)}L${x(highest.from_flops_per_byte)} ${y(highest.tflops)}`} class="nofill st-text" />
      {view.roofs.map((roof) => (
        <path key={roof.label} d={`M${x(roof.from_flops_per_byte)} ${y(roof.tflops)}H${WIDTH - RIGHT}`} class="nofill st-text" />
      ))}
    </>
  );
}

/** Over the marks, which lie closest below the roofs where most is computed. */
function RoofNames({ view, layout }: { view: RooflineView; layout: RooflineLayout }) {
  const { y } = scalesOf(layout);
  return (
    <>
      {view.roofs.map((roof) => (
        <text key={roof.label} x={WIDTH - RIGHT} y={y(roof.tflops) - 4} text-anchor="end" class="tx3 over">
          {roof.label}: {formatDecimal(roof.tflops)}
        </text>
      ))}
    </>
  );
}

function powers({ first, last }: LogRange): number[] {
  const step = last - first > 5 ? 2 : 1;
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, at) => first + at * step);
}

function powerText(power: number): string {
  if (power < 0) return (10 ** power).toFixed(-power);
  // Longer ones would be cut off at the edges.
  return power > 3 ? `${10 ** (power - 3)}k` : (10 ** power).toLocaleString("en-US");
}

export function aboutPoint(point: RooflinePoint): string {
  const limit = point.share_of_limit === null ? "" : `, ${formatShare(point.share_of_limit)} of its limit, which is ${point.bound ?? "not known"}`;
  return `${point.name} ${point.shapes}: ${formatDuration(point.device_us)}, ${formatDecimal(point.tflops)} TFLOP/s${limit}`;
}
