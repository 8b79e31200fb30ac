// Points and roofs on two logarithmic axes.

import type { RooflinePoint, RooflineView } from "../../api/types.ts";

export interface LogRange {
  /** Powers of ten. */
  first: number;
  last: number;
}

export interface RooflineLayout {
  /** FLOPs a byte. */
  across: LogRange;
  /** TFLOP/s. */
  upwards: LogRange;
  /** Those that have a place: what only moves has none. */
  points: RooflinePoint[];
}

/** A drawing has so many powers of ten at least and at most; what lies lower stands on its edge. */
const FEWEST = 3;
const MOST = 6;

/** Null where no point has a place. */
export function layOutRoofline(view: RooflineView): RooflineLayout | null {
  const points = view.points.filter((point) => point.flops_per_byte > 0 && point.tflops > 0);
  if (points.length === 0) return null;
  return {
    across: rangeOf([...points.map((point) => point.flops_per_byte), ...view.roofs.map((roof) => roof.from_flops_per_byte * 3)]),
    upwards: rangeOf([...points.map((point) => point.tflops), ...view.roofs.map((roof) => roof.tflops)]),
    points,
  };
}

function rangeOf(values: readonly number[]): LogRange {
  const lowest = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.max(Math.ceil(Math.log10(Math.max(...values))), lowest + FEWEST);
  return { first: Math.max(lowest, last - MOST), last };
}

/** 0 at the start of the range, 1 at its end. */
export function partOf(range: LogRange, value: number): number {
  return Math.max((Math.log10(value) - range.first) / (range.last - range.first), 0);
}

/** What takes most time above its limit. */
export function worstPoints(view: RooflineView, most: number): RooflinePoint[] {
  return view.points
    .filter((point) => (point.above_limit_us ?? 0) > 0)
    .sort((one, other) => (other.above_limit_us ?? 0) - (one.above_limit_us ?? 0))
    .slice(0, most);
}
