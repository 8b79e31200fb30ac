import type { EnvironmentRow, NotCheckedRow, TrustRow } from "../../api/types.ts";
import { visit } from "../../state/place.ts";
import { Icon, type IconName } from "../../widgets/Icon.tsx";
import { InlineText } from "../../widgets/Prose.tsx";

const MARKS: Record<TrustRow["state"], { name: IconName; tone: "i-ok" | "i-none" | "i-warn" | "i-bad"; word: string }> = {
  ok: { name: "tick", tone: "i-ok", word: "good" },
  info: { name: "info", tone: "i-none", word: "note" },
  warning: { name: "warning", tone: "i-warn", word: "warning" },
  error: { name: "error", tone: "i-bad", word: "error" },
  unknown: { name: "unknown", tone: "i-none", word: "not known" },
};

/** What speaks for and against the figures, one line each. */
export function TrustList({ rows }: { rows: readonly TrustRow[] }) {
  return (
    <ul class="checks">
      {rows.map((row, at) => (
        <TrustLine key={at} row={row} />
      ))}
    </ul>
  );
}

export function TrustLine({ row: { state, title, figure, detail } }: { row: TrustRow }) {
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

export function NotCheckedList({ rows }: { rows: readonly NotCheckedRow[] }) {
  return (
    <ul class="checks s12">
      {rows.map((row) => (
        <li key={row.rule}>
          <Icon name="unknown" tone="i-none" />
          <p class="row">
            <button class="rule rule-button" type="button" onClick={() => visit({ rule: row.rule })}>
              {row.rule}
            </button>
            <span class="t2 anywhere">{row.reason}</span>
          </p>
        </li>
      ))}
    </ul>
  );
}

export function EnvironmentList({ rows }: { rows: readonly EnvironmentRow[] }) {
  return (
    <dl class="kv s12">
      {rows.map((row) => [
        <dt key={row.name}>{row.name}</dt>,
        <dd key={`${row.name} value`}>
          <bdi>{row.value}</bdi>
        </dd>,
      ])}
    </dl>
  );
}
