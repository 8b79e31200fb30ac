// A curve of memory as paths: values hold from their instant to the next one.

import type { MemoryLine } from "../../api/types.ts";

export interface CurveScale {
  width: number;
  height: number;
  /** Bytes at the top. */
  mostBytes: number;
}

/** Of the height, above the highest value: the names of steps stand there. */
const HEADROOM = 0.15;

/** What the drawing is as high as. */
export function mostOf(line: MemoryLine): number {
  const values = [...line.high_bytes, ...(line.reserved_bytes ?? [])];
  return values.reduce((most, value) => Math.max(most, value), 1) * (1 + HEADROOM);
}

export function xOf(line: MemoryLine, ns: number, { width }: CurveScale): number {
  const part = (ns - line.from_ns) / Math.max(line.to_ns - line.from_ns, 1);
  return Math.min(Math.max(part, 0), 1) * width;
}

export function yOf(bytes: number, { height, mostBytes }: CurveScale): number {
  return height - (bytes / mostBytes) * height;
}

/** The upper edge of these values, from the left of the drawing to its right. */
export function stepPath(line: MemoryLine, values: readonly number[], scale: CurveScale): string {
  if (values.length === 0) return "";
  const parts = values.map((value, at) => {
    const y = round(yOf(value, scale));
    return at === 0 ? `M0 ${y}` : `H${round(xOf(line, line.at_ns[at] ?? line.to_ns, scale))}V${y}`;
  });
  return `${parts.join("")}H${round(scale.width)}`;
}

/** What lies below that edge. */
export function areaPath(line: MemoryLine, values: readonly number[], scale: CurveScale): string {
  return values.length === 0 ? "" : `${stepPath(line, values, scale)}V${round(scale.height)}H0Z`;
}

/** Place among the values of the one that holds at an instant; 0 before all. */
export function valueAt(line: MemoryLine, ns: number): number {
  let [low, high] = [0, line.at_ns.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((line.at_ns[middle] ?? 0) <= ns) low = middle;
    else high = middle;
  }
  return low;
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
