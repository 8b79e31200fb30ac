import type { ComponentChildren } from "preact";
import type { IdleView, SavingView, WindowView } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatCount, formatCounted, formatShare, NOT_RECORDED, shareOf } from "../../format/number.ts";
import { Icon } from "../../widgets/Icon.tsx";

/** The answer in a sentence, and the figures behind it. */
export function VerdictPart({ view }: { view: WindowView }) {
  return (
    <section class="answer" aria-labelledby="verdict">
      {view.state === "clean" && <Seal />}
      {view.state === "no_device" && <span class="seal large-icon"><Icon name="info" tone="i-none" /></span>}
      <h1 id="verdict" class="anywhere">{view.verdict}</h1>
      {view.detail !== "" && <p class="t2 anywhere">{view.detail}</p>}
      <dl class="figures">
        <StepFigure view={view} />
        {view.state !== "no_device" && (
          <>
            <IdleFigure idle={view.idle} />
            <SavingFigure saving={view.savings} calibrated={view.calibrated} />
            <SyncFigure view={view} />
          </>
        )}
      </dl>
    </section>
  );
}

function Seal() {
  return (
    <svg class="seal" viewBox="0 0 56 56" aria-hidden="true">
      <circle cx="28" cy="28" r="28" class="f-gain" />
      <path d="M16 29l8.5 8.5L41 20" class="nofill" />
    </svg>
  );
}

interface FigureProps {
  label: string;
  value: string;
  /** Quiet, beside the value. */
  note?: string;
  tone?: "gain" | "";
  children?: ComponentChildren;
}

function Figure({ label, value, note = "", tone = "", children }: FigureProps) {
  return (
    <div>
      <dt class="s12 t3">{label}</dt>
      <dd class={`big ${tone}`}>
        {value}
        {note !== "" && <span class="unit"> {note}</span>}
      </dd>
      <dd class="s12">{children}</dd>
    </div>
  );
}

function StepFigure({ view }: { view: WindowView }) {
  const warm = view.steps.filter((step) => !step.cold).length;
  const cold = view.steps.length - warm;
  return (
    <Figure label="Median step" value={formatDuration(view.median_step_us)}>
      {formatCounted(warm, "step")}{cold > 0 && `, ${formatCount(cold)} cold left out`}
    </Figure>
  );
}

function IdleFigure({ idle }: { idle: IdleView | null }) {
  if (idle === null) return <Figure label="GPU idle" value={NOT_RECORDED} />;
  return (
    <Figure label="GPU idle, of a step" value={formatShare(idle.share_of_steps)}>
      {idle.device_us > 0 &&
        `queue empty ${formatDuration(idle.empty_us)}, work queued ${formatDuration(idle.queued_us)}`}
    </Figure>
  );
}

function SavingFigure({ saving, calibrated }: { saving: SavingView | null; calibrated: boolean }) {
  const label = "Can be saved in the window";
  if (saving === null) return <Figure label={label} value="—">no estimate</Figure>;
  if (saving.ceiling_us === 0) return <Figure label={label} value={formatDuration(0)} />;
  const floor = `at least ${formatDuration(saving.floor_us)}`;
  if (saving.estimate_us === null) {
    return (
      <Figure label={label} value={`≤ ${formatDuration(saving.ceiling_us)}`} tone="gain">
        {floor}, no estimate
      </Figure>
    );
  }
  return (
    <Figure label={label} value={formatDuration(saving.estimate_us)} tone="gain" note={calibrated ? "" : "uncalibrated"}>
      {floor}, at most {formatDuration(saving.ceiling_us)}
    </Figure>
  );
}

function SyncFigure({ view }: { view: WindowView }) {
  const { count, wait_us, explained_us } = view.sync_points;
  return (
    <Figure label="Sync points" value={formatCount(count)}>
      {count > 0 && `waiting ${formatDuration(wait_us)}, ${formatShare(shareOf(explained_us, wait_us))} explained`}
    </Figure>
  );
}
