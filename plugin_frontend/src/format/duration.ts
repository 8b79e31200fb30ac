// Durations in µs as text. A sentence picks its own unit, a table has one for all its rows.

import { formatCount, formatDecimal, formatMean, formatNegative, NARROW_SPACE, NOT_RECORDED } from "./number.ts";

export type DurationUnit = "µs" | "ms" | "s";

export const MICROSECONDS: Record<DurationUnit, number> = { µs: 1, ms: 1_000, s: 1_000_000 };

/** The unit of a figure that stands alone: µs below 0.1 ms, ms below 10 s, then s. */
export function durationUnit(durationUs: number): DurationUnit {
  if (Math.abs(durationUs) < 100) return "µs";
  // What rounds to 10,000 ms is 10 s.
  return Math.abs(durationUs) < 9_999_500 ? "ms" : "s";
}

/** The one unit of a table: that of its longest row, ms only from 1 ms on so that rows differ. */
export function tableUnit(durationsUs: readonly number[]): DurationUnit {
  const longest = durationsUs.reduce((most, duration) => Math.max(most, duration), 0);
  return longest < 1_000 ? "µs" : durationUnit(longest);
}

/** The one unit of figures that are told apart: finer than `tableUnit`, so that small changes show; of seconds, ms do. */
export function differenceUnit(durationsUs: readonly number[]): DurationUnit {
  return durationsUs.every((duration) => duration < 10_000) ? "µs" : "ms";
}

/** A figure without its unit, for a table whose head names it. */
export function formatDurationIn(durationUs: number, unit: DurationUnit): string {
  if (unit !== "µs") return formatDecimal(durationUs / MICROSECONDS[unit]);
  return formatNegative(durationUs, (us) => (us > 0 && us < 1 ? "<1" : formatCount(us)));
}

/** The same with parts of a microsecond, for tables whose rows differ by less. */
export function formatFineDurationIn(durationUs: number, unit: DurationUnit): string {
  return unit === "µs" ? formatDecimal(durationUs) : formatDurationIn(durationUs, unit);
}

/** A figure with its unit: `55.3 ms`, `15 µs`; null is "not recorded". */
export function formatDuration(durationUs: number | null): string {
  if (durationUs === null) return NOT_RECORDED;
  const unit = durationUs === 0 ? "ms" : durationUnit(durationUs);
  return `${formatDurationIn(durationUs, unit)}${NARROW_SPACE}${unit}`;
}

/** How long something has taken so far, in whole figures that one reads at a glance: `3.4 s`, `2 min 5 s`. */
export function formatElapsed(elapsedSeconds: number): string {
  if (elapsedSeconds < 60) return `${formatDecimal(elapsedSeconds)}${NARROW_SPACE}s`;
  const whole = Math.floor(elapsedSeconds);
  return `${formatCount(Math.floor(whole / 60))}${NARROW_SPACE}min ${whole % 60}${NARROW_SPACE}s`;
}

/** Exact, for a hover: `12,345.678 µs`. */
export function formatExact(durationUs: number): string {
  return `${durationUs.toLocaleString("en-US", { maximumFractionDigits: 3 })}${NARROW_SPACE}µs`;
}

const MINUTE = 60;
const HOUR = 3_600;

/** How long GPUs ran, or were watched: `3.4 h`; minutes below two hours, seconds below two minutes. */
export function formatHours(seconds: number): string {
  if (seconds >= 2 * HOUR) return `${hoursFigure(seconds / HOUR)}${NARROW_SPACE}h`;
  if (seconds >= 2 * MINUTE) return `${hoursFigure(seconds / MINUTE)}${NARROW_SPACE}min`;
  return `${hoursFigure(seconds)}${NARROW_SPACE}s`;
}

function hoursFigure(value: number): string {
  return value < 10 ? formatMean(value) : formatCount(value);
}

/** A moment in the reader's own time: `2026-11-22 21:40`. */
export function formatDate(seconds: number): string {
  const date = new Date(seconds * 1_000);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
