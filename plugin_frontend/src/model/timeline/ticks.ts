// The ruler: round instants of a step, at least so far apart.

import type { Range } from "./range.ts";

interface Tick {
  atNs: number;
  label: string;
}

const UNITS: readonly [number, string][] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];

/** The unit of a range: its ticks are at least one of it apart, or a part of it that reads well. */
export function unitOf(range: Range): [number, string] {
  const length = range.toNs - range.fromNs;
  return UNITS.find(([ns]) => length >= ns * 2) ?? [1, "ns"];
}

/** Ticks of a range, counted from `zeroNs`; the one at zero bears the unit. */
export function ticksOf(range: Range, zeroNs: number, widthPx: number, leastPx = 70): Tick[] {
  const [unitNs, unit] = unitOf(range);
  const least = ((range.toNs - range.fromNs) / Math.max(widthPx, 1)) * leastPx;
  const step = roundUp(least);
  const first = Math.ceil((range.fromNs - zeroNs) / step);
  const last = Math.floor((range.toNs - zeroNs) / step);
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, at) => {
    const ns = (first + at) * step;
    const text = trimmed(ns / unitNs);
    return { atNs: zeroNs + ns, label: ns === 0 ? `0 ${unit}` : text };
  });
}

/** The next of 1, 2, 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return power * ([1, 2, 5, 10].find((factor) => power * factor >= value) ?? 10);
}

function trimmed(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 3 }).replace("-", "\u2212");
}
