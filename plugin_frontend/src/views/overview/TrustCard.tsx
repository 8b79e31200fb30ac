import type { NotCheckedRow, TrustRow } from "../../api/types.ts";
import { formatCounted } from "../../format/number.ts";
import { Card } from "../../widgets/Card.tsx";
import { Icon, type IconName } from "../../widgets/Icon.tsx";
import { InlineText } from "../../widgets/Prose.tsx";
import { NotCheckedList } from "../sites/HealthParts.tsx";

const MARKS: Record<TrustRow["state"], { name: IconName; tone: "i-ok" | "i-none" | "i-warn" | "i-bad"; word: string }> = {
  ok: { name: "tick", tone: "i-ok", word: "good" },
  info: { name: "info", tone: "i-none", word: "note" },
  warning: { name: "warning", tone: "i-warn", word: "warning" },
  error: { name: "error", tone: "i-bad", word: "error" },
  unknown: { name: "unknown", tone: "i-none", word: "not known" },
};

/** What speaks for and against the figures, always in the same order. */
export function TrustCard({ rows, notChecked }: { rows: readonly TrustRow[]; notChecked: readonly NotCheckedRow[] }) {
  // A rule that lacks several things has a row for each.
  const rules = new Set(notChecked.map((row) => row.rule)).size;
  return (
    <Card id="trust" title="Can I trust this?">
      <div class="in">
        <ul class="checks">
          {rows.map((row, at) => (
            <Line key={at} row={row} />
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

function Line({ row: { state, title, figure, detail } }: { row: TrustRow }) {
  const { name, tone, word } = MARKS[state];
  return (
    <li>
      <Icon name={name} tone={tone} />
      <div>
        <span class="sr">{word}: </span>
        {title !== "" && (
          <p class="row">
            <span class="grow">{title}</span>
            <b class="nw">{figure}</b>
          </p>
        )}
        <p class={title === "" ? "anywhere" : "s12 t3 anywhere"}>
          <InlineText text={detail} />
        </p>
      </div>
    </li>
  );
}
