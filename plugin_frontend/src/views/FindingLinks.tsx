import type { FindingRow } from "../api/types.ts";
import { visit } from "../state/place.ts";
import { InlineText } from "../widgets/Prose.tsx";

/** Findings by their titles; a click opens the first site, or the rule's page with what it found in this window. */
export function FindingLinks({ findings }: { findings: readonly FindingRow[] }) {
  return (
    <ul class="finding-links s12">
      {findings.map((finding) => (
        <li key={finding.fingerprint} class="row">
          <button class="rule rule-button" type="button" onClick={() => open(finding)}>
            {finding.rule}
          </button>
          <span class="anywhere">
            <InlineText text={finding.title} />
            {finding.place !== "" && <bdi class="t3"> {finding.place}</bdi>}
          </span>
        </li>
      ))}
    </ul>
  );
}

function open({ rule, sites }: FindingRow): void {
  const [site] = sites;
  visit(site === undefined ? { rule, site: null, health: false } : { rule: null, site, health: false });
}
