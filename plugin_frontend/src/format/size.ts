// Sizes in bytes as text, decimal: 1 MB is a million bytes, so that GB/s add up.

import { formatCount, formatDecimal, NARROW_SPACE } from "./number.ts";

export type SizeUnit = "B" | "kB" | "MB" | "GB";

const BYTES: Record<SizeUnit, number> = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9 };

export function sizeUnit(sizeBytes: number): SizeUnit {
  if (sizeBytes < 1e3) return "B";
  if (sizeBytes < 1e6) return "kB";
  return sizeBytes < 1e9 ? "MB" : "GB";
}

/** The one unit of a table: that of its largest row. */
export function tableSizeUnit(sizesBytes: readonly number[]): SizeUnit {
  return sizeUnit(sizesBytes.reduce((most, size) => Math.max(most, size), 0));
}

/** A figure without its unit, for a table whose head names it. */
export function formatSizeIn(sizeBytes: number, unit: SizeUnit): string {
  return unit === "B" ? formatCount(sizeBytes) : formatDecimal(sizeBytes / BYTES[unit]);
}

/** A figure with its unit: `9.6 MB`. */
export function formatSize(sizeBytes: number): string {
  const unit = sizeUnit(sizeBytes);
  return `${formatSizeIn(sizeBytes, unit)}${NARROW_SPACE}${unit}`;
}
