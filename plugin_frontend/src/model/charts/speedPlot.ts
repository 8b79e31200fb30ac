// Speed against size on two logarithmic axes: where the marks go.

import type { SiteRow } from "../../api/types.ts";

interface SpeedMark {
  site: SiteRow;
  /** From the left and the bottom edge, 0 to 1. */
  x: number;
  y: number;
}

export interface LogAxis {
  /** Exponents of ten at its ends. */
  first: number;
  last: number;
}

interface SpeedPlotLayout {
  marks: SpeedMark[];
  sizes: LogAxis;
  /** In bytes a second. */
  speeds: LogAxis;
}

/** A mark for each site whose copies took time; its size is the mean of its copies. Null without any. */
export function layOutSpeeds(sites: readonly SiteRow[]): SpeedPlotLayout | null {
  const known = sites.flatMap((site) =>
    site.bytes_per_s === null || site.bytes_per_s <= 0 || site.bytes <= 0 ? [] : [{ site, size: site.bytes / site.count, speed: site.bytes_per_s }],
  );
  if (known.length === 0) return null;
  const sizes = axisAround(known.map((point) => point.size));
  const speeds = axisAround(known.map((point) => point.speed));
  return {
    sizes,
    speeds,
    marks: known.map(({ site, size, speed }) => ({ site, x: along(sizes, size), y: along(speeds, speed) })),
  };
}

export function along(axis: LogAxis, value: number): number {
  return (Math.log10(value) - axis.first) / (axis.last - axis.first);
}

/** Whole powers of ten around all values. */
function axisAround(values: readonly number[]): LogAxis {
  const first = Math.floor(Math.log10(Math.min(...values)));
  return { first, last: Math.max(Math.ceil(Math.log10(Math.max(...values))), first + 1) };
}
