import type { FindingRow, WindowView } from "../../api/types.ts";
import { SeverityBars } from "../../draw/SeverityBars.tsx";
import { formatDuration } from "../../format/duration.ts";
import { formatCounted } from "../../format/number.ts";
import { Card } from "../../widgets/Card.tsx";
import { FindingLinks } from "../FindingLinks.tsx";
import { FindingTitle } from "./PlanCard.tsx";

/** What was found and has no row in the plan: with a ceiling only, or not worth it. */
export function FindingsCards({ view }: { view: WindowView }) {
  const { ceilings, leave, plan } = view.overview;
  if (ceilings.length + leave.length === 0) return null;
  return (
    <Card
      id="findings"
      title={plan.length > 0 ? "Findings not in the plan" : "Findings"}
      about={ceilings.length > 0 ? "“≤”: no replay can judge it, only a ceiling is known" : ""}
    >
      {ceilings.length > 0 && (
        <table aria-labelledby="findings">
          <thead>
            <tr>
              <th scope="col">Severity</th>
              <th scope="col">What</th>
              <th scope="col" class="num">
                {view.marks_steps ? "Saves per step" : "Saves"}
              </th>
            </tr>
          </thead>
          <tbody>
            {ceilings.map((finding) => (
              <tr key={finding.fingerprint}>
                <td>
                  <span class="legend s12">
                    <SeverityBars severity={finding.severity} />
                    {finding.severity}
                  </span>
                </td>
                <td class="change">
                  <FindingTitle finding={finding} view={view} />
                </td>
                <td class="num">
                  <Saved finding={finding} steps={Math.max(view.steps.length, 1)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {leave.length > 0 && <LeaveList rows={leave} />}
    </Card>
  );
}

function Saved({ finding: { saving }, steps }: { finding: FindingRow; steps: number }) {
  if (saving === null) return <>—</>;
  const most = `≤ ${formatDuration(saving.ceiling_us / steps)}`;
  if (saving.estimate_us === null) return <b>{most}</b>;
  return (
    <>
      <div class="b">{formatDuration(saving.estimate_us / steps)}</div>
      <div class="s12 t3">{most}</div>
    </>
  );
}

function LeaveList({ rows }: { rows: readonly FindingRow[] }) {
  return (
    <details class="hr in">
      <summary>
        {formatCounted(rows.length, "finding")} true and not worth a change: leave {rows.length === 1 ? "it" : "them"}
      </summary>
      <FindingLinks findings={rows} />
    </details>
  );
}
