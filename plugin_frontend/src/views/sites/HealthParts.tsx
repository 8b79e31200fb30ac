import type { EnvironmentRow, HealthRow, NotCheckedRow } from "../../api/types.ts";
import { visit } from "../../state/place.ts";
import { Icon } from "../../widgets/Icon.tsx";
import { InlineText } from "../../widgets/Prose.tsx";

const MARKS = {
  info: { icon: "info", tone: "i-none" },
  warning: { icon: "warning", tone: "i-warn" },
  error: { icon: "error", tone: "i-bad" },
} as const;

export function HealthList({ rows }: { rows: readonly HealthRow[] }) {
  if (rows.length === 0) {
    return (
      <p class="row s12">
        <Icon name="tick" tone="i-ok" />
        Nothing speaks against it
      </p>
    );
  }
  return (
    <ul class="checks">
      {rows.map((row, at) => (
        <li key={`${row.code} ${at}`}>
          <Icon {...{ name: MARKS[row.severity].icon, tone: MARKS[row.severity].tone }} />
          <p class="anywhere">
            <span class="sr">{row.severity}: </span>
            <InlineText text={row.message} />
          </p>
        </li>
      ))}
    </ul>
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
