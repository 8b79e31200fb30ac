import type { ComponentChildren } from "preact";
import type { JobRank, OverviewView, RankRole, WindowView } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatCounted, formatShare, shareOf } from "../../format/number.ts";
import { InlineText } from "../../widgets/Prose.tsx";
import { RankLink } from "../job/RankLink.tsx";
import { meanOfSteady, onMeanDevice } from "./means.ts";

/** The answer in a sentence, beside it a step, its idle and what can be saved of it. */
export function VerdictHead({ view, ofJob }: { view: WindowView; ofJob: RoleInJob | null }) {
  const { overview } = view;
  return (
    <section class="head" aria-labelledby="verdict">
      <div class={overview.nothing_to_fix ? "sealed" : ""}>
        {overview.nothing_to_fix && <Seal />}
        {ofJob === null ? <OfWindow view={view} /> : <OfJob view={view} ofJob={ofJob} />}
        {view.detail !== "" && (
          <p class="t2 anywhere">
            <InlineText text={view.detail} />
          </p>
        )}
      </div>
      <dl class="figures">
        <StepFigure overview={overview} marked={view.marks_steps} />
        {overview.device !== null && !overview.records_first && (
          <Figure label={onMeanDevice(view, "GPU idle")} value={formatDuration(overview.device.idle_us)}>
            {formatShare(shareOf(overview.device.idle_us, overview.step_us ?? 0))} of {view.marks_steps ? "a step" : "the window"}
          </Figure>
        )}
        {view.predicted_first ? <WaitsFigure view={view} /> : <SavingFigure overview={overview} />}
      </dl>
    </section>
  );
}

interface RoleInJob {
  role: RankRole;
  late: JobRank | null;
}

function OfWindow({ view }: { view: WindowView }) {
  return (
    <>
      <h1 id="verdict" class="anywhere">
        <InlineText text={view.verdict} />
      </h1>
      {view.first_action !== "" && (
        <p class="b anywhere">
          <InlineText text={view.first_action} />
        </p>
      )}
    </>
  );
}

/** Whom the ranks wait for comes before what this one says alone. */
function OfJob({ view, ofJob: { role, late } }: { view: WindowView; ofJob: RoleInJob }) {
  const first = view.overview.actions[0];
  const order = first !== undefined && role.answered_by.includes(first.finding.rule) ? first.title : role.order;
  return (
    <>
      <h1 id="verdict" class="anywhere">
        <InlineText text={role.sentence} />
      </h1>
      <p class="b anywhere">
        {late === null ? <InlineText text={`First: ${order.charAt(0).toLowerCase()}${order.slice(1)}.`} /> : <RankLink rank={late} prefix="Open " />}
      </p>
      <p class="t2 anywhere">
        <InlineText text={view.verdict} />
      </p>
    </>
  );
}

/** Nothing to fix is news, too. */
function Seal() {
  return (
    <svg class="seal" viewBox="0 0 56 56" aria-hidden="true">
      <circle cx="28" cy="28" r="28" class="f-gain" />
      <path d="M16 29l8.5 8.5L41 20" class="nofill" />
    </svg>
  );
}

function Figure({ label, value, tone = "", children }: { label: string; value: string; tone?: "gain" | ""; children?: ComponentChildren }) {
  return (
    <div>
      <dt class="s12 t3">{label}</dt>
      <dd class={`big ${tone}`}>{value}</dd>
      <dd class="s12">{children}</dd>
    </div>
  );
}

/** Where no steps are marked the whole window stands as one. */
function StepFigure({ overview, marked }: { overview: OverviewView; marked: boolean }) {
  const { steady_steps: steady, step_us: step, unprofiled_step_us: unprofiled } = overview;
  if (!marked)
    return (
      <Figure label="Window" value={formatDuration(step)}>
        no steps marked
      </Figure>
    );
  return (
    <Figure label="Step" value={formatDuration(step)}>
      {unprofiled === null ? meanOfSteady(steady) : `${formatDuration(unprofiled)} unprofiled`}
    </Figure>
  );
}

/** Without a GPU a wait has no time: how many lines would, and how often the first, is what is known. */
function WaitsFigure({ view }: { view: WindowView }) {
  return (
    <Figure label="Would wait for a GPU" value={formatCounted(view.predicted.length, "line")}>
      the first {view.predicted[0]?.worth ?? ""}
    </Figure>
  );
}

/** Of the first action: the same figure as in its row. */
function SavingFigure({ overview }: { overview: OverviewView }) {
  const { headline, speedup, nothing_to_fix: nothing } = overview;
  if (overview.records_first)
    return (
      <Figure label="Can be saved" value="not known">
        record again first
      </Figure>
    );
  if (headline === null)
    return nothing ? (
      <Figure label="Can be saved" value="nothing">
        on the host
      </Figure>
    ) : null;
  const { floor_us: floor, estimate_us: estimate, ceiling_us: ceiling } = headline;
  const label = "The first action saves";
  if (estimate === null) {
    return (
      <Figure label={label} value={`≤ ${formatDuration(ceiling)}`} tone="gain">
        {floor > 0 ? `at least ${formatDuration(floor)}` : "an upper limit"}
      </Figure>
    );
  }
  return (
    <Figure label={label} value={`${formatDuration(estimate)}${speedup === null ? "" : ` · ${speedup.toFixed(2)}×`}`} tone="gain">
      at least {formatDuration(floor)}, at most {formatDuration(ceiling)}
    </Figure>
  );
}
