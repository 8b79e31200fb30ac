// What the classes of severity stand for, in the words of the answer.

import type { FindingRow, SeverityRow } from "../api/types.ts";

type Severity = FindingRow["severity"];

/** `critical: from 10 % of a step on`; the class alone where the scale has no words for it. */
export function severityMeaning(scale: readonly SeverityRow[], severity: Severity): string {
  const text = scale.find((row) => row.severity === severity)?.text;
  return text === undefined ? severity : `${severity}: ${text}`;
}

/** Of the scale what a list has. */
export function usedSeverities(scale: readonly SeverityRow[], rows: readonly { severity: Severity | null }[]): SeverityRow[] {
  return scale.filter(({ severity }) => rows.some((row) => row.severity === severity));
}
