// The scale of severity of the window shown.

import { computed } from "@preact/signals";
import type { FindingRow, SeverityRow } from "../../api/types.ts";
import { severityMeaning } from "../../model/severity.ts";
import { windowView } from "../windowAnswer.ts";

export const severityScale = computed<readonly SeverityRow[]>(() => windowView.value?.overview.severities ?? []);

/** For a tip beside the bars of a class. */
export function aboutSeverity(severity: FindingRow["severity"]): string {
  return severityMeaning(severityScale.value, severity);
}
