import type { NotCheckedRow, TrustRow } from "../../api/types.ts";
import { formatCounted } from "../../format/number.ts";
import { Icon } from "../../widgets/Icon.tsx";
import { NotCheckedList, TrustLine } from "../sites/HealthParts.tsx";

/** What speaks for and against the figures: one line, which opens. */
export function TrustCard({ rows, notChecked }: { rows: readonly TrustRow[]; notChecked: readonly NotCheckedRow[] }) {
  // A rule that lacks several things has a row for each.
  const rules = new Set(notChecked.map((row) => row.rule)).size;
  return (
    <section class="card" aria-labelledby="trust">
      <details class="trust">
        <summary>
          <h2 id="trust">Can I trust this?</h2>
          <span class="s12 t2 right">{summary(rows, rules)}</span>
        </summary>
        <ul class="checks in">
          {rows.map((row, at) => (
            <TrustLine key={at} row={row} />
          ))}
          {notChecked.length > 0 && (
            <li>
              <Icon name="unknown" tone="i-none" />
              <details open={notChecked.length <= 4}>
                <summary>
                  Not checked<b class="right">{formatCounted(rules, "rule")}</b>
                </summary>
                <NotCheckedList rows={notChecked} />
              </details>
            </li>
          )}
        </ul>
      </details>
    </section>
  );
}

/** Warnings first: they are what changes an answer. */
function summary(rows: readonly TrustRow[], rules: number): string {
  const count = (...states: TrustRow["state"][]): number => rows.filter((row) => states.includes(row.state)).length;
  const [bad, good, unknown] = [count("warning", "error"), count("ok"), count("unknown")];
  const parts = [bad > 0 && formatCounted(bad, "warning"), good > 0 && `${good} good`, unknown > 0 && `${unknown} not known`];
  return [...parts, rules > 0 && `${formatCounted(rules, "rule")} not checked`].filter(Boolean).join(", ");
}
