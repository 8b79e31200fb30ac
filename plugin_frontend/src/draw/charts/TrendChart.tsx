import { useRef, useState } from "preact/hooks";
import { formatCount } from "../../format/number.ts";
import { axisTicks, ticksBetween } from "../../model/charts/axis.ts";
import { alongAxis, type TrendLayout, type TrendPoint } from "../../model/charts/trends.ts";

/** How the points and the line of each series look: told apart without their color. */
const STYLES = [
  { shape: "M-4 0A4 4 0 1 0 4 0A4 4 0 1 0 -4 0Z", stroke: "st-acc", fill: "f-acc", dashes: "" },
  { shape: "M-4 -4H4V4H-4Z", stroke: "st-sync", fill: "f-sync", dashes: "6 4" },
  { shape: "M0 -5L5 4H-5Z", stroke: "st-gain", fill: "f-gain", dashes: "2 3" },
  { shape: "M0 -5.5L5.5 0L0 5.5L-5.5 0Z", stroke: "st-text", fill: "f-text", dashes: "10 3 2 3" },
] as const;

export const MOST_SERIES = STYLES.length;

const LEFT = 72;
const RIGHT = 24;
const TOP = 12;
const HEIGHT = 220;
const BOTTOM = 40;

interface TrendChartProps {
  layout: TrendLayout;
  /** In CSS px. */
  width: number;
  format: (value: number) => string;
  /** The same in words, for who does not see it. */
  label: string;
  /** The point whose values are named below; null: none. */
  pointed: TrendPoint | null;
  onPoint: (point: TrendPoint, series: number) => void;
  onOpen: (point: TrendPoint, series: number) => void;
}

/** Points over the training, a line for each run; the pointer or the arrow keys choose one, Enter or a click opens it. */
export function TrendChart({ layout, width, format, label, pointed, onPoint, onOpen }: TrendChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<[number, number]>([0, 0]);
  const x = (point: TrendPoint): number => LEFT + alongAxis(layout, point.x) * Math.max(width - LEFT - RIGHT, 0);
  const y = (value: number): number => HEIGHT - (layout.most > 0 ? value / layout.most : 0) * (HEIGHT - TOP);
  const choose = (series: number, index: number): void => {
    const point = layout.series[series]?.[index];
    if (point === undefined) return;
    setAt([series, index]);
    onPoint(point, series);
  };
  const openChosen = (): void => {
    const point = layout.series[at[0]]?.[at[1]];
    if (point !== undefined) onOpen(point, at[0]);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const [series, index] = at;
    if (event.key === "ArrowRight") choose(series, index + 1);
    else if (event.key === "ArrowLeft") choose(series, index - 1);
    else if (event.key === "ArrowDown") choose(series + 1, index);
    else if (event.key === "ArrowUp") choose(series - 1, index);
    else if (event.key === "Enter") openChosen();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onPointerMove = (event: PointerEvent): void => {
    const left = box.current?.getBoundingClientRect();
    if (left === undefined) return;
    const all = layout.series.flatMap((points, series) => points.map((point, index) => ({ point, series, index })));
    const far = (point: TrendPoint): number => Math.hypot(x(point) - (event.clientX - left.x), y(point.value) - (event.clientY - left.y));
    const nearest = all.reduce<(typeof all)[number] | null>((best, one) => (best !== null && far(best.point) <= far(one.point) ? best : one), null);
    if (nearest !== null) choose(nearest.series, nearest.index);
  };
  return (
    <div class="trend" ref={box} role="group" tabIndex={0} aria-label={label} onKeyDown={onKeyDown} onPointerMove={onPointerMove} onClick={openChosen}>
      <svg width={width} height={HEIGHT + BOTTOM} aria-hidden="true">
        <Axes layout={layout} width={width} format={format} />
        {layout.series.map((points, series) => (
          <Series key={series} points={points.map((point) => ({ left: x(point), top: y(point.value), isPointed: point === pointed }))} number={series} />
        ))}
      </svg>
    </div>
  );
}

function Axes({ layout, width, format }: { layout: TrendLayout; width: number; format: (value: number) => string }) {
  const y = (tick: number): number => HEIGHT - (layout.most > 0 ? tick / layout.most : 0) * (HEIGHT - TOP);
  const span = Math.max(width - LEFT - RIGHT, 0);
  const ticks = layout.high > layout.low ? ticksBetween(layout.low, layout.high).filter(Number.isInteger) : [layout.low];
  return (
    <>
      {axisTicks(layout.most).map((tick) => (
        <g key={tick}>
          <path d={`M${LEFT} ${y(tick)}H${width - RIGHT}`} class="st-line" />
          <text x={LEFT - 8} y={y(tick) + 4} text-anchor="end" class="tx3">
            {format(tick)}
          </text>
        </g>
      ))}
      {ticks.map((tick) => (
        <text key={tick} x={LEFT + alongAxis(layout, tick) * span} y={HEIGHT + 18} text-anchor="middle" class="tx3">
          {formatCount(tick)}
        </text>
      ))}
      <text x={LEFT + span / 2} y={HEIGHT + 36} text-anchor="middle" class="tx3">
        {layout.axis === "step" ? "Step of the training" : "Window, oldest first"}
      </text>
    </>
  );
}

interface Placed {
  left: number;
  top: number;
  isPointed: boolean;
}

function Series({ points, number }: { points: readonly Placed[]; number: number }) {
  const { shape, stroke, fill, dashes } = STYLES[number % STYLES.length] ?? STYLES[0];
  return (
    <g>
      <path
        d={points.map(({ left, top }, at) => `${at === 0 ? "M" : "L"}${left} ${top}`).join("")}
        class={`nofill ${stroke}`}
        stroke-width="1.5"
        stroke-dasharray={dashes}
      />
      {points.map(({ left, top, isPointed }, at) => (
        <path key={at} d={shape} transform={`translate(${left} ${top})${isPointed ? " scale(1.6)" : ""}`} class={fill} />
      ))}
    </g>
  );
}

/** The mark of a series, for a legend. */
export function SeriesKey({ number }: { number: number }) {
  const { shape, stroke, fill, dashes } = STYLES[number % STYLES.length] ?? STYLES[0];
  return (
    <svg width="28" height="12" viewBox="-14 -6 28 12" aria-hidden="true">
      <path d="M-14 0H14" class={`nofill ${stroke}`} stroke-width="1.5" stroke-dasharray={dashes} />
      <path d={shape} class={fill} />
    </svg>
  );
}
