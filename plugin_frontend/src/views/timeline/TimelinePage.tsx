import { useEffect } from "preact/hooks";
import type { TimelineView, WindowView } from "../../api/types.ts";
import { failureTitle } from "../../state/loaded.ts";
import { followTiles } from "../../state/tiles.ts";
import { carried, loadTimeline, timeline, timelineAnswer } from "../../state/timeline.ts";
import { followRange } from "../../state/timelineRange.ts";
import { ProblemNote } from "../../widgets/ProblemNote.tsx";
import { viewActions } from "../keys.ts";
import { GoneTrace } from "../states/GoneTrace.tsx";
import { ReadingState } from "../states/ReadingState.tsx";
import { Skeleton } from "../states/Skeleton.tsx";
import { ACTIONS, DEVICE_ACTIONS } from "./actions.ts";
import { MinimapStrip } from "./MinimapStrip.tsx";
import { PerfettoDialog } from "./PerfettoDialog.tsx";
import { SelectionCard } from "./SelectionCard.tsx";
import { TimelineTools } from "./TimelineTools.tsx";
import { Tracks } from "./Tracks.tsx";

/** The window as it went, from the whole of it to a single launch. */
export function TimelinePage({ view }: { view: WindowView }) {
  useEffect(() => {
    const ends = [loadTimeline(), followRange(), followTiles()];
    return () => {
      viewActions.value = {};
      for (const end of ends) end();
    };
  }, []);
  const answer = timelineAnswer.value;
  const hasDevice = timeline.value !== null && timeline.value.main_device !== null;
  useEffect(() => void (viewActions.value = hasDevice ? { ...ACTIONS, ...DEVICE_ACTIONS } : ACTIONS), [hasDevice]);
  if (answer.kind === "failed")
    return <Broken title={failureTitle(answer, "The timeline could not be loaded")} what={answer.message} whatToDo="Try again in a moment." path="" />;
  if (answer.kind === "loading") return <Waiting />;
  const { state, timeline: drawn, progress, problem } = answer.value;
  if (drawn !== null) return <Drawn view={view} timeline={drawn} />;
  if (state === "gone")
    return (
      <GoneTrace>
        <p>The timeline draws every event, so it needs the trace file. The report holds all other views but the flame graph.</p>
        <p class="t2">
          One instance of each site is drawn in its drawer, under Sync points and Copies. To see the timeline, put the trace back beside its report.
        </p>
      </GoneTrace>
    );
  if (problem !== null) return <Broken title={problem.title} what={problem.what} whatToDo={problem.what_to_do} path={problem.path} />;
  return (
    <main tabIndex={0}>
      <ReadingState progress={progress} />
    </main>
  );
}

function Waiting() {
  return (
    <main tabIndex={0}>
      <Skeleton />
    </main>
  );
}

function Drawn({ view, timeline }: { view: WindowView; timeline: TimelineView }) {
  return (
    <main class="fill">
      <h1 class="sr">Timeline</h1>
      <div class="timeline">
        <TimelineTools timeline={timeline} />
        {carried.value !== null && <p class="carried s12 t3">{carried.value}</p>}
        {(timeline.main_device !== null || timeline.steps.length > 1) && <MinimapStrip timeline={timeline} />}
        <Tracks view={view} timeline={timeline} />
        <SelectionCard view={view} timeline={timeline} />
      </div>
      <PerfettoDialog timeline={timeline} />
    </main>
  );
}

function Broken({ title, what, whatToDo, path }: { title: string; what: string; whatToDo: string; path: string }) {
  return (
    <main tabIndex={0}>
      <div class="page narrow">
        <ProblemNote problem={{ title, what, what_to_do: whatToDo, path }} />
      </div>
    </main>
  );
}
