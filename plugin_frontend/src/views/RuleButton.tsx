import { visit } from "../state/place.ts";

interface RuleButtonProps {
  /** Its code; null draws nothing. */
  rule: string | null;
  /** Opened in place of the rule's page, where the rule found something there. */
  site?: number | undefined;
}

/** The code of a rule, which leads beside what is shown to where it was found, else to the rule's page. */
export function RuleButton({ rule, site }: RuleButtonProps) {
  if (rule === null) return null;
  const opened = site === undefined ? { rule, site: null, health: false } : { rule: null, site, health: false };
  return (
    <button class="rule rule-button" type="button" onClick={() => visit(opened)}>
      {rule}
    </button>
  );
}
