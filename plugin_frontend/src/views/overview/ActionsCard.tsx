import { useState } from "preact/hooks";
import type { ActionRow, FindingRow, WindowView } from "../../api/types.ts";
import { Bracket } from "../../draw/bars/Bracket.tsx";
import { SeverityBars } from "../../draw/marks/SeverityBars.tsx";
import { formatShare } from "../../format/number.ts";
import { visit } from "../../state/place.ts";
import { aboutSeverity } from "../../state/sites/severity.ts";
import { visitSite } from "../../state/sites/sites.ts";
import { ActionCells, ActionTable } from "../../widgets/ActionTable.tsx";
import { Card } from "../../widgets/Card.tsx";
import { InlineText } from "../../widgets/Prose.tsx";
import { SiteLink } from "../../widgets/SiteLink.tsx";
import { RuleButton } from "../RuleButton.tsx";
import { SeverityLegend } from "../SeverityLegend.tsx";

const MOST_SITES = 3;
/** The rows that leave room for the chart on the first screen. */
const FIRST = 3;

/** What to change, over all causes, in the order of what it saves. */
export function ActionsCard({ view }: { view: WindowView }) {
  const { actions, smaller, next_limit } = view.overview;
  const [isOpen, setOpen] = useState(false);
  const before = view.predicted_first ? view.predicted.length : 0;
  const largest = Math.max(...actions.map((row) => row.saves.ceiling_us));
  const scope = view.marks_steps ? "a step" : "the window";
  return (
    <Card
      id="actions"
      title={view.actions_title}
      about={aboutActions(actions)}
      aside={!view.calibrated && actions.some((row) => row.is_planned) && <span class="chip">uncalibrated</span>}
    >
      <ActionTable labeledBy="actions" saves={view.marks_steps ? "Saves per step" : "Saves"}>
        {actions.slice(0, isOpen ? actions.length : FIRST).map((row, at) => (
          <ActionLine key={row.finding.fingerprint} row={row} number={before + at + 1} view={view} largest_us={largest} scope={scope} />
        ))}
      </ActionTable>
      {!isOpen && actions.length > FIRST && (
        <p class="in">
          <button class="link" type="button" onClick={() => setOpen(true)}>
            {moreActions(actions.slice(FIRST), before + FIRST + 1)}
          </button>
        </p>
      )}
      <SeverityLegend rows={actions} />
      {smaller + next_limit !== "" && <p class="hr in s12 t2">{`${smaller} ${next_limit}`.trim()}</p>}
    </Card>
  );
}

/** The order is that of what a change likely saves, which is not that of the upper limits. */
function aboutActions(actions: readonly ActionRow[]): string {
  const isUncertain = actions.some(({ saves }) => saves.estimate_us === null);
  const adds = actions.filter((row) => row.is_planned).length > 1 ? "; “adds”: on top of the waits above it" : "";
  const most = isUncertain ? "; “up to”: an upper limit, of what those above it leave" : "";
  return `in the order to work in, by what is likely saved${adds}${most}`;
}

/** By their numbers: a count beside that of the changes too small for a row would deny it. */
function moreActions(rows: readonly ActionRow[], from: number): string {
  const worth = rows[0]?.worth ?? "";
  const to = from + rows.length - 1;
  return from === to ? `Change ${from}, ${worth}` : `Changes ${from} to ${to}, the first ${worth}`;
}

interface ActionLineProps {
  row: ActionRow;
  number: number;
  view: WindowView;
  largest_us: number;
  scope: string;
}

function ActionLine({ row, number, view, largest_us: largest, scope }: ActionLineProps) {
  const { saves, severity } = row;
  return (
    <tr>
      <ActionCells number={number} title={row.title} onOpen={() => openFinding(row.finding, view)}>
        <Where findings={[row.finding, ...row.others]} view={view} />
        <p class="s12 t2 anywhere">
          <InlineText text={row.how} />
        </p>
        {row.ways.map((way) => (
          <p key={way.text} class="s12 t2 anywhere">
            <InlineText text={way.text} />
          </p>
        ))}
      </ActionCells>
      <td>
        <div class="b nw">{row.worth}</div>
        <div class="row s12 t3">
          <SeverityBars severity={severity} title={aboutSeverity(severity)} />
          {formatShare(row.share)} of {scope}
        </div>
      </td>
      <td class="bracket">
        <Bracket saving={saves} scale_us={largest} />
        <div class="s12 t3 under">{row.bounds}</div>
      </td>
    </tr>
  );
}

/** What is known of the line; of a finding without one, its rule. */
function openFinding({ rule, sites }: FindingRow, view: WindowView): void {
  const site = sites.flatMap((index) => view.sites[index] ?? [])[0];
  if (site === undefined) visit({ rule });
  else visitSite(site.index);
}

/** Each rule with the lines to change; else the rule and what its findings are about. */
function Where({ findings, view }: { findings: readonly FindingRow[]; view: WindowView }) {
  const placed = findings.filter((finding) => finding.sites.length > 0);
  if (placed.length > 0) {
    return (
      <>
        {placed.map((finding) => (
          <Lines key={finding.fingerprint} finding={finding} view={view} />
        ))}
      </>
    );
  }
  return (
    <div class="row s12">
      {findings.slice(0, 1).map(({ rule }) => (
        <RuleButton key={rule} rule={rule} />
      ))}
      <span class="t2 anywhere">
        <bdi>
          <InlineText text={findings.map(({ note, place }) => (note === "" ? place : note)).join(" ")} />
        </bdi>
      </span>
    </div>
  );
}

function Lines({ finding, view }: { finding: FindingRow; view: WindowView }) {
  const sites = finding.sites.flatMap((index) => view.sites[index] ?? []);
  const code = sites[0]?.source?.code ?? "";
  return (
    <>
      <div class="row s12">
        <RuleButton rule={finding.rule} />
        {sites.slice(0, MOST_SITES).map((site) => (
          <SiteLink key={site.index} site={site} onOpen={visitSite} />
        ))}
        {sites.length > MOST_SITES && <span class="t3 nw">and {sites.length - MOST_SITES} more</span>}
      </div>
      {code !== "" && (
        <code class="block wrapped">
          <bdi>{code}</bdi>
        </code>
      )}
    </>
  );
}
