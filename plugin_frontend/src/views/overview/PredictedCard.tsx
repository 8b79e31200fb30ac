import type { PredictedRow } from "../../api/types.ts";
import { formatCount, formatCounted } from "../../format/number.ts";
import { ActionCells, ActionTable } from "../../widgets/ActionTable.tsx";
import { Card } from "../../widgets/Card.tsx";
import { Location } from "../../widgets/Location.tsx";
import { InlineText } from "../../widgets/Prose.tsx";

interface PredictedCardProps {
  rows: readonly PredictedRow[];
  title: string;
  /** Of the first row: the actions may stand before it. */
  number: number;
}

/** The lines of a run without a GPU that would wait for one; never with a time. */
export function PredictedCard({ rows, title, number }: PredictedCardProps) {
  return (
    <Card id="predicted" title={title} about={`${formatCounted(rows.length, "line")} that would wait for a GPU; how long, only a GPU can show`}>
      <ActionTable labeledBy="predicted" saves="Saves per step" isPredicted>
        {rows.map((row, at) => (
          <PredictedLine key={row.fingerprint} row={row} number={number + at} />
        ))}
      </ActionTable>
    </Card>
  );
}

function PredictedLine({ row, number }: { row: PredictedRow; number: number }) {
  return (
    <tr>
      <ActionCells number={number} title={row.action}>
        <div class="row s12">
          <span class="rule" title={row.title}>
            {row.rule}
          </span>
          <Location source={row} />
        </div>
        {row.code !== "" && (
          <code class="block wrapped">
            <bdi>{row.code}</bdi>
          </code>
        )}
        <p class="s12 t2 anywhere">
          <InlineText text={row.how} />
        </p>
      </ActionCells>
      <td>
        <div class="b">{row.worth}</div>
        <p class="s12 t3">
          <InlineText text={row.why} />
        </p>
        <span class="chip">predicted</span>
      </td>
      <td class="num">{formatCount(row.per_step)}</td>
    </tr>
  );
}
