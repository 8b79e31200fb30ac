import type { JobFix, JobPage, LateCause } from "../../api/types.ts";
import { Bracket } from "../../draw/bars/Bracket.tsx";
import { formatDuration } from "../../format/duration.ts";
import { formatCounted, formatShare, shareOf } from "../../format/number.ts";
import { ActionCells, ActionTable } from "../../widgets/ActionTable.tsx";
import { Card } from "../../widgets/Card.tsx";
import { RuleButton } from "../RuleButton.tsx";
import { RankLink } from "./RankLink.tsx";

/** At once; the others after a click. */
const MOST_ROWS = 5;

/** What to change for the whole job, in the order of what a step of it gains; without an estimate why ranks were late. */
export function JobPlan({ page }: { page: JobPage }) {
  if (page.plan.length > 0) return <Plan page={page} />;
  if (page.late.length === 0) return null;
  return (
    <Card id="late" title="Who is late, and why" about="the latest first">
      <ul class="in late-causes">
        {page.late.slice(0, 2 * MOST_ROWS).map((cause, at) => (
          <li key={at} class="anywhere">
            <RuleButton rule={ruleOf(page, at)} /> {cause.sentence} <RankLink rank={page.ranks[cause.rank]} prefix="Open " />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Plan({ page }: { page: JobPage }) {
  const { plan } = page;
  const largest = Math.max(...plan.map((row) => row.ceiling_us));
  const shown = plan.slice(0, MOST_ROWS);
  const rest = plan.slice(MOST_ROWS);
  return (
    <Card
      id="job-plan"
      title="What to change first"
      about="what a step of the whole job gains; each row is of other steps, so they add up"
      aside={<span class="chip">uncalibrated</span>}
    >
      <ActionTable labeledBy="job-plan" saves="Saves per step">
        {shown.map((fix, at) => (
          <FixLine key={fix.cause} fix={fix} number={at + 1} page={page} largest_us={largest} />
        ))}
      </ActionTable>
      {(rest.length > 0 || page.what_if !== null) && <p class="hr in s12 t2">{[restSentence(rest), levelSentence(page)].filter(Boolean).join(" ")}</p>}
    </Card>
  );
}

function restSentence(rest: readonly JobFix[]): string {
  if (rest.length === 0) return "";
  const saved = rest.reduce((sum, fix) => sum + fix.estimate_us, 0);
  return `${formatCounted(rest.length, "smaller change")} would save ${formatDuration(saved)} together.`;
}

function levelSentence({ what_if: whatIf, plan }: JobPage): string {
  if (whatIf === null) return "";
  const all = plan.length > 1 ? `Without all of them a step takes ${formatDuration(whatIf.without_us)} instead of ${formatDuration(whatIf.step_us)}. ` : "";
  return `${all}With every rank as fast as the median it would take ${formatDuration(whatIf.ideal_us)}. The replay is ${formatShare(whatIf.error)} off what was recorded.`;
}

function FixLine({ fix, number, page, largest_us: largest }: { fix: JobFix; number: number; page: JobPage; largest_us: number }) {
  const cause = page.late[fix.cause];
  const share = shareOf(fix.estimate_us, page.what_if?.step_us ?? page.step_us ?? 0);
  return (
    <tr>
      <ActionCells number={number} title={fix.title}>
        {cause !== undefined && <Cause cause={cause} rule={ruleOf(page, fix.cause)} page={page} />}
        <p class="s12 t2 anywhere">{fix.detail}</p>
      </ActionCells>
      <td>
        <div class="b nw">{formatDuration(fix.estimate_us)}</div>
        {share !== null && <div class="s12 t3">{formatShare(share)} of a step</div>}
      </td>
      <td class="bracket">
        <Bracket saving={fix} scale_us={largest} />
        <div class="s12 t3 under">
          {formatDuration(fix.floor_us)} to {formatDuration(fix.ceiling_us)}
        </div>
      </td>
    </tr>
  );
}

/** The rule whose finding a cause is; null where it is too little for one. */
function ruleOf(page: JobPage, cause: number): string | null {
  return page.findings.find((finding) => finding.cause === cause)?.rule ?? null;
}

function Cause({ cause, rule, page }: { cause: LateCause; rule: string | null; page: JobPage }) {
  return (
    <p class="s12 t2 anywhere">
      <RuleButton rule={rule} /> {cause.sentence} <RankLink rank={page.ranks[cause.rank]} prefix="Open " />
    </p>
  );
}
