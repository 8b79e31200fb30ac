// Sizes in bytes as text, decimal: 1 MB is a million bytes, so that GB/s add up.

import { formatCount, formatDecimal, NARROW_SPACE } from "./number.ts";

type SizeUnit = "B" | "kB" | "MB" | "GB" | "TB";

const BYTES: Record<SizeUnit, number> = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** A unit serves from where less of it than of the next smaller one is read: 999,950 bytes are 1.0 MB, not 1,000 kB. */
const UNIT_FROM = 0.99995;

/** The unit of a figure that stands alone. */
export function sizeUnit(sizeBytes: number): SizeUnit {
  const size = Math.abs(sizeBytes);
  if (size < 999.5) return "B";
  return (["TB", "GB", "MB"] as const).find((unit) => size >= UNIT_FROM * BYTES[unit]) ?? "kB";
}

/** A figure without its unit, where the unit is named once for several. */
export function formatSizeIn(sizeBytes: number, unit: SizeUnit): string {
  return unit === "B" ? formatCount(sizeBytes) : formatDecimal(sizeBytes / BYTES[unit]);
}

/** A figure with its unit: `9.6 MB`. */
export function formatSize(sizeBytes: number): string {
  const unit = sizeUnit(sizeBytes);
  return `${formatSizeIn(sizeBytes, unit)}${NARROW_SPACE}${unit}`;
}
