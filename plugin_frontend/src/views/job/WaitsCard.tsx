import type { JobPage } from "../../api/types.ts";
import { Meter } from "../../draw/bars/Meter.tsx";
import { formatDurationIn, tableUnit } from "../../format/duration.ts";
import { formatCount, formatCounted } from "../../format/number.ts";
import { type Party, waitMatrix } from "../../model/ranks/jobRanks.ts";
import { Card } from "../../widgets/Card.tsx";

/** Who waits for whom, and how long. */
export function WaitsCard({ page }: { page: JobPage }) {
  const matrix = waitMatrix(page);
  const unit = tableUnit([matrix.most]);
  return (
    <Card
      id="job-waits"
      title="Who waits for whom"
      about={`${unit} a step in ${formatCounted(page.matched, "matched collective")}; a row waits for the rank of the column`}
    >
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Matrix of waits">
        <table class="dense waits" aria-labelledby="job-waits">
          <thead>
            <tr>
              <th scope="col">Waits</th>
              {matrix.columns.map((column) => (
                <th key={column} scope="col" class="num">
                  {columnName(column, page)}
                </th>
              ))}
              <th aria-hidden="true" />
            </tr>
          </thead>
          <tbody>
            {matrix.rows.map((row) => (
              <tr key={row}>
                <th scope="row">{row === "others" ? `${formatCount(matrix.others)} others, mean` : nameOf(row, page)}</th>
                {matrix.columns.map((column) => (
                  <td key={column} class="num">
                    {row === column && row !== "others" ? (
                      <span class="t3">–</span>
                    ) : (
                      <>
                        {formatDurationIn(matrix.cell(row, column), unit)}
                        <Meter parts={[{ length: matrix.cell(row, column), fill: { class: "f-comm" } }]} most={matrix.most} />
                      </>
                    )}
                  </td>
                ))}
                <td aria-hidden="true" />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

function columnName(party: Party, page: JobPage): string {
  if (party === "nobody") return "nobody late";
  if (party === "others") return "other ranks";
  return `for ${nameOf(party, page)}`;
}

function nameOf(party: Party, page: JobPage): string {
  return typeof party === "number" ? (page.ranks[party]?.name ?? "") : party;
}
