import type { TimelineView } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatShare } from "../../format/number.ts";
import { carried, stepAnswer, stepIndex } from "../../state/timeline/timeline.ts";
import { visitStep, zoomIn, zoomOut } from "../../state/timeline/timelineRange.ts";
import { Icon } from "../../widgets/Icon.tsx";
import { SegmentedControl } from "../../widgets/SegmentedControl.tsx";
import { fitSelection, shownParts, visitEpisode, visitLargestGap } from "./actions.ts";
import { openPerfetto } from "./perfetto.ts";
import { RowSearch } from "./RowSearch.tsx";
import { stepName } from "./stepName.ts";

/** The step, what of it is drawn, and ways through it. */
export function TimelineTools({ timeline }: { timeline: TimelineView }) {
  const at = stepIndex.value;
  return (
    <div class="tool">
      <StepButton label="Previous step" icon="previous" by={-1} disabled={at === 0} />
      <b class="nw" id="step-name">
        {stepName(timeline.steps[at]?.name ?? "")}
      </b>
      <StepButton label="Next step" icon="next" by={1} disabled={at >= timeline.steps.length - 1} />
      {timeline.main_device !== null && <DeviceTools hasIdle={timeline.lanes.some(({ kind }) => kind === "idle")} />}
      {carried.value === null && <RowSearch />}
      <span class="right s12 t3 nw" id="step-figures">
        {figures()}
      </span>
      <span class="row tight">
        <button class="btn q sm ico-only" type="button" aria-label="Zoom out" onClick={zoomOut}>
          <Icon name="zoomOut" />
        </button>
        <button class="btn q sm ico-only" type="button" aria-label="Zoom in" onClick={zoomIn}>
          <Icon name="zoomIn" />
        </button>
        <button class="btn q sm ico-only" type="button" aria-label="Fit the selection" onClick={fitSelection}>
          <Icon name="fit" />
        </button>
      </span>
      {carried.value === null && (
        <button class="btn sm" type="button" onClick={openPerfetto}>
          <Icon name="open" />
          Perfetto <span class="kbd wide-only">p</span>
        </button>
      )}
    </div>
  );
}

/** What there is to choose and to go to only where a GPU was recorded; `hasIdle`: and may be judged. */
function DeviceTools({ hasIdle }: { hasIdle: boolean }) {
  return (
    <>
      <Switches parts={PARTS.filter(([part]) => part !== "idle" || hasIdle)} />
      {hasIdle && (
        <button class="btn sm" type="button" onClick={visitLargestGap}>
          Largest gap <span class="kbd">g</span>
        </button>
      )}
      <button class="btn sm" type="button" onClick={() => visitEpisode(1)}>
        Next episode <span class="kbd">.</span>
      </button>
    </>
  );
}

/** `53.9 ms · idle 28 %` */
function figures(): string {
  const answer = stepAnswer.value;
  if (answer.kind !== "there" || answer.value.index !== stepIndex.value) return "";
  const { duration_us, idle_share } = answer.value;
  const idle = idle_share === null ? "" : ` · idle ${formatShare(idle_share)}`;
  return `${formatDuration(duration_us)}${idle}`;
}

function StepButton({ label, icon, by, disabled }: { label: string; icon: "previous" | "next"; by: number; disabled: boolean }) {
  return (
    <button class="btn sm ico-only" type="button" aria-label={label} disabled={disabled} onClick={() => visitStep(by)}>
      <Icon name={icon} />
    </button>
  );
}

const PARTS = [
  ["episodes", "Sync and copy"],
  ["idle", "Idle"],
  ["ops", "Ops"],
] as const;

function Switches({ parts }: { parts: readonly (typeof PARTS)[number][] }) {
  const shown = shownParts.value;
  return (
    <SegmentedControl
      label="Show"
      options={parts}
      isChosen={(part) => shown[part]}
      onChoose={(part) => (shownParts.value = { ...shown, [part]: !shown[part] })}
    />
  );
}
