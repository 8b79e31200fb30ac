import { useEffect } from "preact/hooks";
import type { CheckRow, ChecksView, MissingRecording, WindowView } from "../../api/types.ts";
import { SeverityBars } from "../../draw/marks/SeverityBars.tsx";
import { formatDuration } from "../../format/duration.ts";
import { formatCounted } from "../../format/number.ts";
import { byFamily, type Family, failedRows } from "../../model/checks.ts";
import { checksAnswer, loadChecks } from "../../state/checks.ts";
import { failureTitle } from "../../state/loading/loaded.ts";
import { copyText } from "../../state/notice.ts";
import { aboutSeverity } from "../../state/sites/severity.ts";
import { Card } from "../../widgets/Card.tsx";
import { GuideLinks } from "../../widgets/GuideLinks.tsx";
import { Icon } from "../../widgets/Icon.tsx";
import { ProblemNote } from "../../widgets/ProblemNote.tsx";
import { InlineText } from "../../widgets/Prose.tsx";
import { RuleButton } from "../RuleButton.tsx";
import { SeverityLegend } from "../SeverityLegend.tsx";
import { Skeleton } from "../states/Skeleton.tsx";
import { Workspace } from "../Workspace.tsx";

/** What became of each check: failed by worth, then what would fail on a GPU, what nobody could look at, then what passed and why. */
export function ChecksPage({ view }: { view: WindowView }) {
  useEffect(loadChecks, []);
  const answer = checksAnswer.value;
  return (
    <Workspace view={view}>
      <div class="pane" tabIndex={0} role="region" aria-label="Checks">
        <div class="page">
          {answer.kind === "loading" && <Skeleton />}
          {answer.kind === "failed" && <ProblemNote problem={{ title: failureTitle(answer), what: answer.message, what_to_do: "", path: "" }} />}
          {answer.kind === "there" && <Parts checks={answer.value} />}
        </div>
      </div>
    </Workspace>
  );
}

function Parts({ checks }: { checks: ChecksView }) {
  if (checks.rows.length === 0) return <p class="t2">This report is of a version that kept no checks. Analyze the trace again.</p>;
  const { costly, harmless, predicted } = failedRows(checks.rows);
  return (
    <>
      <h1 class="anywhere">
        <InlineText text={checks.sentence} />
      </h1>
      {costly.length > 0 && (
        <Card id="failed" title="Failed" about={`by severity; savings ${checks.marks_steps ? "of a step" : "of the window"}`}>
          <ul class="checks in">
            {costly.map((row) => (
              <FailedRow key={row.rule} row={row} />
            ))}
          </ul>
          <SeverityLegend rows={costly} />
        </Card>
      )}
      {predicted.length > 0 && (
        <Card id="predicted" title="Would fail on a GPU" about="predicted from the lines that ran, no GPU was used">
          <ul class="checks in">
            {predicted.map((row) => (
              <FailedRow key={row.rule} row={row} />
            ))}
          </ul>
        </Card>
      )}
      <MissingCard checks={checks} />
      {harmless.length > 0 && (
        <Card id="harmless" title="Found, and worth no change here">
          <Rows rows={harmless} icon="info" tone="i-none" />
        </Card>
      )}
      <PassedCard rows={checks.rows} />
      <NothingToJudge rows={checks.rows} />
    </>
  );
}

function FailedRow({ row }: { row: CheckRow }) {
  const { saving } = row;
  const estimate = saving?.estimate_us ?? null;
  const worth =
    saving === null ? row.no_saving : `${estimate === null ? "" : `about ${formatDuration(estimate)}, `}at most ${formatDuration(saving.ceiling_us)}`;
  return (
    <li>
      {row.severity === null ? <Icon name="unknown" tone="i-none" /> : <SeverityBars severity={row.severity} title={aboutSeverity(row.severity)} />}
      <div>
        <p class="row">
          <RuleButton rule={row.rule} site={row.sites[0]} />
          <b class="anywhere">
            <InlineText text={row.title} />
          </b>
          <span class="t3 s12">
            {row.severity ?? "predicted"} · {row.family}
          </span>
        </p>
        {row.said !== "" && (
          <p class="anywhere">
            <InlineText text={row.said} />
          </p>
        )}
        <p class="t2 s12 anywhere">
          <InlineText text={`${row.action}${row.findings > 1 ? ` in ${formatCounted(row.findings, "place")}` : ""}: ${worth}`} />
        </p>
        {row.guides.length > 0 && <GuideLinks guides={row.guides} />}
      </div>
    </li>
  );
}

/** What to record, with the rules that can look then. */
function MissingCard({ checks: { missing, rows } }: { checks: ChecksView }) {
  const broken = rows.filter((row) => row.state === "not_checked" && !missing.some(({ rules }) => rules.includes(row.rule)));
  if (missing.length + broken.length === 0) return null;
  return (
    <Card id="not-checked" title="Not checked" about="what to record, and which checks can look then">
      <ul class="checks in">
        {missing.map((one) => (
          <Missing key={one.what} missing={one} />
        ))}
      </ul>
      {broken.length > 0 && <Rows rows={broken} icon="error" tone="i-bad" />}
    </Card>
  );
}

function Missing({ missing }: { missing: MissingRecording }) {
  return (
    <li>
      <Icon name="unknown" tone="i-none" />
      <div>
        <p class="row">
          <b>
            {formatCounted(missing.rules.length, "check")} by {missing.what}
          </b>
          {missing.code !== "" && (
            <button class="btn q sm" type="button" onClick={() => void copyText(missing.code, "Code")}>
              <Icon name="copy" />
              Copy the code for {missing.what}
            </button>
          )}
        </p>
        {missing.code !== "" && (
          <pre class="s12 t2 anywhere">
            <code>{missing.code}</code>
          </pre>
        )}
        <p class="row wrap">
          {missing.rules.map((rule) => (
            <RuleButton key={rule} rule={rule} />
          ))}
        </p>
      </div>
    </li>
  );
}

function PassedCard({ rows }: { rows: readonly CheckRow[] }) {
  const families = byFamily(rows, "passed");
  const passed = families.reduce((sum, family) => sum + family.rows.length, 0);
  return (
    <Card id="passed" title="Passed" about={`${formatCounted(passed, "check")}, each with what it looked at`}>
      {families.map((family) => (
        <PassedFamily key={family.name} family={family} />
      ))}
    </Card>
  );
}

function PassedFamily({ family }: { family: Family }) {
  return (
    <details class="hr in">
      <summary>
        {family.name} <span class="t3">{formatCounted(family.rows.length, "check")}</span>
      </summary>
      <Rows rows={family.rows} icon="tick" tone="i-ok" />
    </details>
  );
}

function Rows({ rows, icon, tone }: { rows: readonly CheckRow[]; icon: "tick" | "info" | "error"; tone: "i-ok" | "i-none" | "i-bad" }) {
  return (
    <ul class="checks s12 in">
      {rows.map((row) => (
        <li key={row.rule}>
          <Icon name={icon} tone={tone} />
          <p class="row">
            <RuleButton rule={row.rule} site={row.sites[0]} />
            <span class="anywhere">
              <InlineText text={row.state === "failed" ? row.title : row.name} />
              {row.said !== "" && <span class="t2"> – </span>}
              <span class="t2">
                <InlineText text={row.said} />
              </span>
            </span>
          </p>
        </li>
      ))}
    </ul>
  );
}

/** The window has nothing of their kind: no loader, no compiled code, no collectives. */
function NothingToJudge({ rows }: { rows: readonly CheckRow[] }) {
  const left = rows.filter((row) => row.state === "not_applicable");
  if (left.length === 0) return null;
  return (
    <Card id="nothing" title="Nothing to judge" about="the window holds nothing of their kind, or another check speaks for it">
      <p class="row wrap in">
        {left.map((row) => (
          <RuleButton key={row.rule} rule={row.rule} site={row.sites[0]} />
        ))}
      </p>
    </Card>
  );
}
