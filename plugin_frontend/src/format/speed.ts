// How fast copies are, in decimal units as sizes.

import { formatDecimal, NARROW_SPACE } from "./number.ts";

const GIGA = 1e9;
const MISSING = "—";

/** Without its unit, for a table whose head says GB/s; slow copies keep two decimals. */
export function formatGigabytes(bytesPerSecond: number | null): string {
  if (bytesPerSecond === null) return MISSING;
  const value = bytesPerSecond / GIGA;
  if (value >= 0.1 || value === 0) return formatDecimal(value);
  return value < 0.01 ? "<0.01" : value.toFixed(2);
}

export function formatSpeed(bytesPerSecond: number | null): string {
  return bytesPerSecond === null ? MISSING : `${formatGigabytes(bytesPerSecond)}${NARROW_SPACE}GB/s`;
}
