import { visit } from "../../state/place.ts";

/** Opens the page of a rule beside the job. */
export function RuleButton({ rule }: { rule: string | null }) {
  if (rule === null) return null;
  return (
    <button class="rule rule-button" type="button" onClick={() => visit({ rule, site: null, health: false })}>
      {rule}
    </button>
  );
}
