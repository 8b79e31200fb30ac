import type { CodeRow } from "../../api/types.ts";
import { formatDurationIn, tableUnit } from "../../format/duration.ts";
import { formatCount, formatMean, formatShare } from "../../format/number.ts";
import { visit } from "../../state/place.ts";
import { views } from "../../state/runs/runs.ts";
import { Card } from "../../widgets/Card.tsx";
import { NumberHead } from "../../widgets/NumberHead.tsx";

const KINDS = [
  { kind: "label", title: "By label" },
  { kind: "module", title: "By module" },
  { kind: "function", title: "By function" },
] as const;

/** Where a step goes by the program's own parts; each kind that was recorded is a table. */
export function CodeCard({ rows, marksSteps, hasDevice }: { rows: readonly CodeRow[]; marksSteps: boolean; hasDevice: boolean }) {
  const recorded = KINDS.map(({ kind, title }) => ({ title, mine: rows.filter((row) => row.kind === kind) })).filter(({ mine }) => mine.length > 0);
  if (recorded.length === 0) return null;
  return (
    <Card
      id="code"
      title="By code"
      aside={
        views.value.includes("flame") ? (
          <button class="link" type="button" onClick={() => visit({ view: "flame" })}>
            Flame graph
          </button>
        ) : null
      }
      about={`${marksSteps ? "per step" : "of the window"}, most of both times first; host time is a part’s own${hasDevice ? ", GPU time that of the work it launched" : ""}`}
    >
      {recorded.map(({ title, mine }, at) => (
        <details key={title} class={at === 0 ? "in" : "in hr"} open={at === 0}>
          <summary>{title}</summary>
          <CodeTable title={title} rows={mine} hasDevice={hasDevice} />
        </details>
      ))}
    </Card>
  );
}

function CodeTable({ title, rows, hasDevice }: { title: string; rows: readonly CodeRow[]; hasDevice: boolean }) {
  const unit = tableUnit(rows.flatMap((row) => [row.host_us, row.device_us]));
  return (
    <table class="dense code-table" aria-label={title}>
      <thead>
        <tr>
          <th scope="col">Name</th>
          {hasDevice && (
            <>
              <NumberHead>GPU, {unit}</NumberHead>
              <NumberHead>of GPU work</NumberHead>
            </>
          )}
          <NumberHead>Host, {unit}</NumberHead>
          {hasDevice && <NumberHead>Launches</NumberHead>}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={`${row.name} ${row.launches}`}>
            <td class="mono ell" title={row.name}>
              {row.name === "" ? <span class="t3">in none of them</span> : <bdi>{row.name}</bdi>}
              {row.count > 1 && <span class="t3"> × {formatCount(row.count)}</span>}
            </td>
            {hasDevice && (
              <>
                <td class="num">{formatDurationIn(row.device_us, unit)}</td>
                <td class="num">{formatShare(row.share_of_device)}</td>
              </>
            )}
            <td class="num">{formatDurationIn(row.host_us, unit)}</td>
            {hasDevice && <td class="num">{formatMean(row.launches)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
