import type { FindingRow } from "../api/types.ts";
import { SeverityBars } from "../draw/marks/SeverityBars.tsx";
import { usedSeverities } from "../model/severity.ts";
import { severityScale } from "../state/sites/severity.ts";

/** What the bars of a list mean; only those that it has. */
export function SeverityLegend({ rows }: { rows: readonly { severity: FindingRow["severity"] | null }[] }) {
  return (
    <p class="hr in s12 t3 row wraps">
      {usedSeverities(severityScale.value, rows).map(({ severity, text }) => (
        <span key={severity} class="legend">
          <SeverityBars severity={severity} />
          {severity}: {text}
        </span>
      ))}
    </p>
  );
}
