import type { FindingRow, PlanRowView, WindowView } from "../../api/types.ts";
import { Bracket } from "../../draw/Bracket.tsx";
import { formatDuration } from "../../format/duration.ts";
import { formatShare, MINUS } from "../../format/number.ts";
import { visit } from "../../state/place.ts";
import { visitSite } from "../../state/sites.ts";
import { Card } from "../../widgets/Card.tsx";
import { InlineText } from "../../widgets/Prose.tsx";
import { SiteLink } from "../../widgets/SiteLink.tsx";

const MOST_SITES = 3;

/** The changes in the order that pays most, each with what it adds to those above it. */
export function PlanCard({ view }: { view: WindowView }) {
  const { plan, next_limit } = view.overview;
  const largest = Math.max(...plan.map((row) => row.adds.ceiling_us));
  return (
    <Card
      id="plan"
      title="Fix plan"
      about="in the order that pays most; each row adds to those above it"
      aside={!view.calibrated && <span class="chip">uncalibrated</span>}
    >
      <table class="plan" aria-labelledby="plan">
        <thead>
          <tr>
            <th scope="col">
              <span class="sr">Order</span>
            </th>
            <th scope="col">Change</th>
            <th scope="col">{view.marks_steps ? "Saves per step" : "Saves"}</th>
            <th scope="col">Floor, estimate, ceiling</th>
            <th scope="col" class="num">
              {view.marks_steps ? "Step then" : "Then"}
            </th>
          </tr>
        </thead>
        <tbody>
          {plan.map((row, at) => (
            <PlanLine key={row.finding.fingerprint} row={row} number={at + 1} view={view} largest_us={largest} />
          ))}
        </tbody>
      </table>
      {next_limit !== "" && <p class="hr in s12 t2">{next_limit}</p>}
    </Card>
  );
}

interface PlanLineProps {
  row: PlanRowView;
  number: number;
  view: WindowView;
  largest_us: number;
}

function PlanLine({ row, number, view, largest_us: largest }: PlanLineProps) {
  const { finding, adds, alone } = row;
  return (
    <tr>
      <td>
        <span class="disc">{number}</span>
      </td>
      <td class="change">
        <FindingTitle finding={finding} view={view} />
      </td>
      <td class="nw">
        <div class="b">
          {number === 1 ? "saves" : "adds"} {formatDuration(adds.estimate_us)}
        </div>
        <div class="s12 t3">
          floor {formatDuration(adds.floor_us)} · ceiling {formatDuration(adds.ceiling_us)}
        </div>
      </td>
      <td class="bracket">
        <Bracket saving={adds} scale_us={largest} />
        {alone.estimate_us !== null && <div class="s12 t3 nw under">alone {formatDuration(alone.estimate_us)}</div>}
      </td>
      <td class="num">
        <div class="b">{formatDuration(row.step_then_us)}</div>
        <div class="s12 t3">
          {MINUS}
          {formatShare(row.share_saved)}
        </div>
      </td>
    </tr>
  );
}

/** What to change, its rule, and the sites to change it at, or what it is about. */
export function FindingTitle({ finding, view }: { finding: FindingRow; view: WindowView }) {
  const sites = finding.sites.flatMap((index) => view.sites[index] ?? []);
  const about = finding.note === "" ? finding.place : finding.note;
  return (
    <>
      <div class="b ell" title={finding.title}>
        <InlineText text={finding.title} />
      </div>
      <div class="row s12">
        <button class="rule rule-button" type="button" onClick={() => visit({ rule: finding.rule, site: null, health: false })}>
          {finding.rule}
        </button>
        {sites.slice(0, MOST_SITES).map((site) => (
          <SiteLink key={site.index} site={site} onOpen={visitSite} />
        ))}
        {sites.length > MOST_SITES && <span class="t3 nw">and {sites.length - MOST_SITES} more</span>}
        {sites.length === 0 && (
          <span class="t2 anywhere">
            <bdi>{about}</bdi>
          </span>
        )}
      </div>
      {sites.length > 0 && finding.note !== "" && (
        <p class="s12 t2 anywhere">
          <bdi>{finding.note}</bdi>
        </p>
      )}
    </>
  );
}
