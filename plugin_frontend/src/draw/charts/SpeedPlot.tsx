import type { SiteRow } from "../../api/types.ts";
import { formatDirection } from "../../format/place.ts";
import { formatSize } from "../../format/size.ts";
import { formatSpeed } from "../../format/speed.ts";
import { along, type LogAxis, layOutSpeeds } from "../../model/charts/speedPlot.ts";

const WIDTH = 280;
const HEIGHT = 160;
const LEFT = 44;
const TOP = 24;
const BOTTOM = 20;
const RIGHT = 20;

interface SpeedPlotProps {
  sites: readonly SiteRow[];
  /** Speed of the fastest pinned copy, in bytes a second; null where there was none. */
  best: number | null;
}

/** Speed against size: a mark a site, its shape the direction, hollow where memory was pinned. */
export function SpeedPlot({ sites, best }: SpeedPlotProps) {
  const layout = layOutSpeeds(sites);
  if (layout === null) return null;
  const x = (part: number): number => LEFT + part * (WIDTH - LEFT - RIGHT);
  const y = (part: number): number => HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - TOP);
  const bestAt = best === null ? null : Math.min(Math.max(along(layout.speeds, best), 0), 1);
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} class="speed-plot" role="img" aria-label={describe(sites)}>
      {ticks(layout.speeds).map((power) => (
        <g key={power}>
          <path d={`M${LEFT} ${y(along(layout.speeds, 10 ** power))}H${WIDTH - RIGHT}`} class="st-line" />
          <text x={LEFT - 6} y={y(along(layout.speeds, 10 ** power)) + 4} text-anchor="end" class="tx3">
            {gigabytes(power)}
          </text>
        </g>
      ))}
      {ticks(layout.sizes).map((power) => (
        <g key={power}>
          <path d={`M${x(along(layout.sizes, 10 ** power))} ${TOP}V${HEIGHT - BOTTOM}`} class="st-line" />
          <text x={x(along(layout.sizes, 10 ** power))} y={HEIGHT - 6} text-anchor="middle" class="tx3">
            {formatSize(10 ** power).replace(".0", "")}
          </text>
        </g>
      ))}
      <text x="0" y="9" class="tx3">
        GB/s
      </text>
      {bestAt !== null && <path d={`M${LEFT} ${y(bestAt)}H${WIDTH - RIGHT}`} class="nofill st-gain" stroke-width="1.6" stroke-dasharray="4 3" />}
      {layout.marks.map((mark) => (
        <Mark key={mark.site.index} site={mark.site} x={x(mark.x)} y={y(mark.y)} />
      ))}
    </svg>
  );
}

const SHAPES: Record<string, string> = { HtoD: "M0 -5L5 4H-5Z", DtoH: "M0 5L5 -4H-5Z" };
const SQUARE = "M-4 -4H4V4H-4Z";

function Mark({ site, x, y }: { site: SiteRow; x: number; y: number }) {
  const fill = site.memory === "pinned" ? "f-surface" : site.direction === "DtoH" ? "f-sync" : "f-copy";
  return (
    <path d={SHAPES[site.direction] ?? SQUARE} transform={`translate(${x} ${y})`} class={`${fill} st-text`}>
      <title>{about(site)}</title>
    </path>
  );
}

/** Every second power where all would be too many. */
function ticks({ first, last }: LogAxis): number[] {
  const step = last - first > 4 ? 2 : 1;
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, at) => first + at * step);
}

function gigabytes(power: number): string {
  return String(Number((10 ** (power - 9)).toPrecision(1)));
}

function about(site: SiteRow): string {
  return `${formatDirection(site.direction, site.memory)}: ${formatSize(site.bytes / site.count)}, ${formatSpeed(site.bytes_per_s)}`;
}

function describe(sites: readonly SiteRow[]): string {
  return `Speed against size of a copy. ${sites.map(about).join("; ")}`;
}
