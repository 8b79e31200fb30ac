import { useEffect } from "preact/hooks";
import type { TimelineView, WindowView } from "../../api/types.ts";
import { followTiles } from "../../state/timeline/tiles.ts";
import { carried, loadTimeline, timeline, timelineAnswer } from "../../state/timeline/timeline.ts";
import { followRange } from "../../state/timeline/timelineRange.ts";
import { viewActions } from "../dialogs/keys.ts";
import { TraceAnswer } from "../states/TraceAnswer.tsx";
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
  const hasDevice = timeline.value !== null && timeline.value.main_device !== null;
  useEffect(() => void (viewActions.value = hasDevice ? { ...ACTIONS, ...DEVICE_ACTIONS } : ACTIONS), [hasDevice]);
  return timeline.value === null ? <NoTimeline /> : <Drawn view={view} timeline={timeline.value} />;
}

function NoTimeline() {
  return (
    <TraceAnswer answer={timelineAnswer.value} what="timeline">
      <p>
        The timeline draws every event, so it needs the trace file, as the flame graph, operators, kernels and modules do. The report holds all other views.
      </p>
      <p class="t2">
        One instance of each site is drawn in its drawer, under Sync points and Copies. To see the timeline, put the trace back beside its report.
      </p>
    </TraceAnswer>
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
