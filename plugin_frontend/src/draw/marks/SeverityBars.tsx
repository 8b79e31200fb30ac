import type { FindingRow } from "../../api/types.ts";

const BARS: Record<FindingRow["severity"], number> = { critical: 4, high: 3, medium: 2, low: 1, info: 0 };

/** One to four bars; the word stands beside them wherever they are drawn. */
export function SeverityBars({ severity, title }: { severity: FindingRow["severity"]; title?: string }) {
  return (
    <span class={`sev s${BARS[severity]}`} title={title} aria-hidden="true">
      <i />
      <i />
      <i />
      <i />
    </span>
  );
}
