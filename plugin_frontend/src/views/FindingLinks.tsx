import type { FindingRow } from "../api/types.ts";
import { InlineText } from "../widgets/Prose.tsx";
import { RuleButton } from "./RuleButton.tsx";

/** Findings by their titles; a click opens the first site, or the rule's page with what it found in this window. */
export function FindingLinks({ findings }: { findings: readonly FindingRow[] }) {
  return (
    <ul class="finding-links s12">
      {findings.map((finding) => (
        <li key={finding.fingerprint} class="row">
          <RuleButton rule={finding.rule} site={finding.sites[0]} />
          <span class="anywhere">
            <InlineText text={finding.title} />
            {finding.place !== "" && <bdi class="t3"> {finding.place}</bdi>}
          </span>
        </li>
      ))}
    </ul>
  );
}
