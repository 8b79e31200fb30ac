import type { FindingRow, SiteRow, SourceView } from "../../api/types.ts";
import { SeverityBars } from "../../draw/marks/SeverityBars.tsx";
import { formatChain, LINE_NOT_RECORDED } from "../../format/place.ts";
import { aboutSeverity } from "../../state/sites/severity.ts";
import { numbersInActions } from "../../state/sites/sites.ts";
import { Location } from "../../widgets/Location.tsx";

interface SiteCellProps {
  site: SiteRow;
  /** Whether the op chain has a column of its own; else it stands for a line that was not recorded. */
  showsOps: boolean;
}

/** Where a site is, what it does, and which rules found it. */
export function SiteCell({ site, showsOps }: SiteCellProps) {
  const { source, ops, what, op_before, op_after } = site;
  if (source !== null) {
    return (
      <>
        <Place source={source} />
        <Facts site={site} text={what} />
      </>
    );
  }
  const name = showsOps || ops.length === 0 ? what : formatChain(ops);
  return (
    <>
      <bdi class={name === what ? "ell block" : "ell block mono"} title={name}>
        {name}
      </bdi>
      <Facts
        site={site}
        text={[op_before && op_after ? `between ${op_before} and ${op_after}` : LINE_NOT_RECORDED, ...(name === what ? [] : [what])].join(" · ")}
      />
    </>
  );
}

function Place({ source }: { source: SourceView }) {
  return (
    <div class="row site-place">
      <Location source={source} short />
      <span class="mono t2 ell" title={source.function}>
        {/* The line of an inexact source is that of its `def`. */}
        {!source.exact && "def "}
        <bdi>{source.function}</bdi>
      </span>
    </div>
  );
}

function Facts({ site, text }: { site: SiteRow; text: string }) {
  return (
    <div class="row s12 site-facts">
      <PlanDisc site={site} />
      {site.findings.map((finding) => (
        <RuleChip key={finding.fingerprint} finding={finding} />
      ))}
      <span class="t3 ell" title={text}>
        {text}
      </span>
    </div>
  );
}

/** The number of the action that the site is part of. */
function PlanDisc({ site }: { site: SiteRow }) {
  const number = numbersInActions.value.get(site.index);
  return number === undefined ? null : (
    <span class="disc" title={`Action ${number}`}>
      {number}
    </span>
  );
}

function RuleChip({ finding }: { finding: FindingRow }) {
  return (
    <span class="rule row tight" title={`${finding.title}; ${aboutSeverity(finding.severity)}`}>
      {finding.rule}
      <SeverityBars severity={finding.severity} />
      <span class="sr">{finding.severity}</span>
    </span>
  );
}
