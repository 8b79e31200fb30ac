import type { NotCheckedRow, TrustRow } from "../../api/types.ts";
import { formatCounted } from "../../format/number.ts";
import { Card } from "../../widgets/Card.tsx";
import { Icon } from "../../widgets/Icon.tsx";
import { NotCheckedList, TrustLine } from "../sites/HealthParts.tsx";

/** What speaks for and against the figures, always in the same order. */
export function TrustCard({ rows, notChecked }: { rows: readonly TrustRow[]; notChecked: readonly NotCheckedRow[] }) {
  // A rule that lacks several things has a row for each.
  const rules = new Set(notChecked.map((row) => row.rule)).size;
  return (
    <Card id="trust" title="Can I trust this?">
      <div class="in">
        <ul class="checks">
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
      </div>
    </Card>
  );
}
