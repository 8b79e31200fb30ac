import { useRef, useState } from "preact/hooks";
import type { TimelineView, WindowView } from "../../api/types.ts";
import { heightOf, type LaneBox, layOutLanes } from "../../model/timeline/layout.ts";
import type { Range } from "../../model/timeline/range.ts";
import { ticksOf, unitOf } from "../../model/timeline/ticks.ts";
import { tilesFailure } from "../../state/timeline/tiles.ts";
import { stepIndex } from "../../state/timeline/timeline.ts";
import { range } from "../../state/timeline/timelineRange.ts";
import { shownParts } from "./actions.ts";
import { GapsTable } from "./GapsTable.tsx";
import { LanesCanvas } from "./LanesCanvas.tsx";
import { laneTitle } from "./laneTitle.ts";
import { scopeName } from "./stepName.ts";
import { TimelineLegend } from "./TimelineLegend.tsx";
import { useCanvasSize } from "./useCanvas.ts";

const RULER = 20;
const LABEL_ROOM_PX = 48;

/** The lanes under a ruler; below them the same gaps as a table. */
export function Tracks({ view, timeline }: { view: WindowView; timeline: TimelineView }) {
  const pane = useRef<HTMLDivElement>(null);
  const { height } = useCanvasSize(pane);
  const [scrollTop, setScrollTop] = useState(0);
  const lanes = layOutLanes(timeline.lanes, shownParts.value);
  const total = heightOf(lanes);
  const seen = Math.max(Math.min(height - RULER, total), 0);
  return (
    <div ref={pane} class="pane tracks" tabIndex={0} role="region" aria-label="Tracks" onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}>
      <Ruler timeline={timeline} />
      <div class="track-body" style={{ height: `${total}px` }}>
        <LaneNames lanes={lanes} timeline={timeline} />
        <LanesCanvas view={view} timeline={timeline} lanes={lanes} height={seen} scrollTop={Math.min(scrollTop, total - seen)} top={RULER} />
      </div>
      {tilesFailure.value !== "" && (
        <p class="row track-failure" role="alert">
          {tilesFailure.value}
        </p>
      )}
      {timeline.main_device !== null && <TimelineLegend hasIdle={timeline.lanes.some(({ kind }) => kind === "idle")} />}
      <GapsTable view={view} timeline={timeline} />
    </div>
  );
}

/** Time since the step began. */
function Ruler({ timeline }: { timeline: TimelineView }) {
  const strip = useRef<HTMLDivElement>(null);
  const { width } = useCanvasSize(strip);
  const seen = range.value;
  const zero = timeline.steps[stepIndex.value]?.start_ns ?? 0;
  return (
    <div class="track-ruler s11 t3">
      <span>{seen === null ? "" : `${unitOf(seen)[1]} in ${scopeName(timeline.steps[stepIndex.value])}`}</span>
      <div ref={strip} aria-hidden="true">
        {seen !== null &&
          ticksOf(seen, zero, width).map(({ atNs, label }) => (
            <span key={atNs} class="tick" style={{ left: `${((atNs - seen.fromNs) / (seen.toNs - seen.fromNs)) * 100}%` }}>
              {roomFor(atNs, seen, width) && label}
            </span>
          ))}
      </div>
    </div>
  );
}

/** Whether a label that begins there ends before the ruler does. */
function roomFor(atNs: number, { fromNs, toNs }: Range, width: number): boolean {
  return ((toNs - atNs) / (toNs - fromNs)) * width > LABEL_ROOM_PX;
}

function LaneNames({ lanes, timeline }: { lanes: readonly LaneBox[]; timeline: TimelineView }) {
  return (
    <ul class="lane-names" aria-label="Lanes">
      {lanes.map(({ lane, row, top, height }) => {
        const { title, detail } = laneTitle(row, timeline);
        return (
          <li key={lane} style={{ top: `${top}px`, height: `${height}px` }}>
            <div class="s12 b ell" title={title}>
              <bdi>{title}</bdi>
            </div>
            <div class="s11 t3 ell" title={detail}>
              <bdi>{detail}</bdi>
            </div>
          </li>
        );
      })}
    </ul>
  );
}
