import type { FindingRow, SiteRow } from "../../api/types.ts";
import { SeverityBars } from "../../draw/SeverityBars.tsx";
import { Location } from "../../widgets/Location.tsx";

/** Where a site is, what it does, and which rules found it. */
export function SiteCell({ site }: { site: SiteRow }) {
  return (
    <>
      <div class="row site-place">
        <Location source={site.source} />
        {site.source !== null && (
          <span class="mono t2 ell">
            <bdi>{site.source.function}</bdi>
          </span>
        )}
      </div>
      <div class="row s12">
        {site.findings.map((finding) => (
          <RuleChip key={finding.fingerprint} finding={finding} />
        ))}
        <span class="t3 ell" title={site.what}>
          {site.what}
        </span>
      </div>
    </>
  );
}

function RuleChip({ finding }: { finding: FindingRow }) {
  return (
    <span class="rule row tight" title={`${finding.title}: ${finding.severity}`}>
      {finding.rule}
      <SeverityBars severity={finding.severity} />
      <span class="sr">{finding.severity}</span>
    </span>
  );
}
