// A saving in one figure: the estimate, or `≤` the ceiling where there is none.

import type { SavingView } from "../api/types.ts";
import { type DurationUnit, formatDurationIn } from "./duration.ts";

const NONE = "—";

/** What a window or a step would save without all of its waits, wherever its limit stands. */
export const WITHOUT_WAITS = "Without the waits";

/** Of that limit: the fix plan and each of its rows save no more. */
export const ABOUT_WITHOUT_WAITS =
  "The ceiling is that of all waits together, also of those that no fix removes: the waits themselves, or the GPU time that an earlier launch could have filled, whichever is smaller.";

/** What bars and units are measured by, in us. */
export function savingAmount(saving: SavingView | null): number {
  return saving === null ? 0 : (saving.estimate_us ?? saving.ceiling_us);
}

/** Without its unit, for a column whose head names it. */
export function formatSaving(saving: SavingView | null, unit: DurationUnit): string {
  if (saving === null) return NONE;
  return saving.estimate_us === null ? formatLimit(saving.ceiling_us, unit) : formatDurationIn(saving.estimate_us, unit);
}

/** At most so much, without its unit; `<0.1` says it already. */
export function formatLimit(ceilingUs: number, unit: DurationUnit): string {
  const figure = formatDurationIn(ceilingUs, unit);
  return figure.startsWith("<") ? figure : `≤ ${figure}`;
}
