import type { PredictedRow } from "../../api/types.ts";
import { formatCount, formatCounted } from "../../format/number.ts";
import { Card } from "../../widgets/Card.tsx";
import { Location } from "../../widgets/Location.tsx";
import { InlineText } from "../../widgets/Prose.tsx";

/** The lines of a run without a GPU that would wait for one; never with a time. */
export function PredictedCard({ rows }: { rows: readonly PredictedRow[] }) {
  return (
    <Card id="predicted" title="Would wait on a GPU" about={`${formatCounted(rows.length, "call")}, predicted: no GPU was used`}>
      <table class="predicted" aria-labelledby="predicted">
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Rule</th>
            <th scope="col">What to do</th>
            <th scope="col" class="num">
              Per step
            </th>
            <th scope="col">Proof</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.fingerprint}>
              <td>
                <Line row={row} />
              </td>
              <td>
                <span class="rule" title={row.title}>
                  {row.rule}
                </span>
              </td>
              <td class="anywhere">
                <p class="s12 t3">
                  <InlineText text={row.why} />
                </p>
                <p class="b">
                  <InlineText text={row.action} />
                </p>
                <p class="s12 t2">
                  <InlineText text={row.how} />
                </p>
              </td>
              <td class="num">{formatCount(row.per_step)}</td>
              <td>
                <span class="chip">predicted</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function Line({ row }: { row: PredictedRow }) {
  return (
    <>
      {row.code !== "" && (
        <code class="ell block" title={row.code}>
          <bdi>{row.code}</bdi>
        </code>
      )}
      <Location source={row} />
    </>
  );
}
