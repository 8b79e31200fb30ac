import type { FindingRow } from "../api/types.ts";
import { visit } from "../state/place.ts";
import { InlineText } from "../widgets/Prose.tsx";

/** Findings by their titles; a click opens the rule's page, with what it found in this window. */
export function FindingLinks({ findings }: { findings: readonly FindingRow[] }) {
  return (
    <ul class="finding-links s12">
      {findings.map((finding) => (
        <li key={finding.fingerprint} class="row">
          <button class="rule rule-button" type="button" onClick={() => visit({ rule: finding.rule, site: null, health: false })}>
            {finding.rule}
          </button>
          <span class="anywhere"><InlineText text={finding.title} /></span>
        </li>
      ))}
    </ul>
  );
}
