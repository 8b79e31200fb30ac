import { useEffect, useRef } from "preact/hooks";
import type { TimelineView, WindowView } from "../../api/types.ts";
import { paintFrame } from "../../draw/timeline/paintFrame.ts";
import { Raster } from "../../draw/timeline/raster.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatCounted, formatShare } from "../../format/number.ts";
import type { LaneBox } from "../../model/timeline/layout.ts";
import { levelFor, type Range, rangeOf, tilesOf } from "../../model/timeline/range.ts";
import { numbersInActions } from "../../state/sites/sites.ts";
import { tilesFor, tilesVersion, want } from "../../state/timeline/tiles.ts";
import { selection, sitesMatch, stepAnswer } from "../../state/timeline/timeline.ts";
import { range } from "../../state/timeline/timelineRange.ts";
import { dragged } from "./actions.ts";
import { labelsOf } from "./labels.ts";
import { palette } from "./palette.ts";
import { fitCanvas, useCanvasSize } from "./useCanvas.ts";
import { usePointer } from "./usePointer.ts";

interface LanesCanvasProps {
  view: WindowView;
  timeline: TimelineView;
  lanes: readonly LaneBox[];
  height: number;
  scrollTop: number;
  /** Where it sticks while the lanes scroll under it. */
  top: number;
}

/** The lanes in sight. What it shows is drawn once a frame, when something of it has changed. */
export function LanesCanvas({ view, timeline, lanes, height, scrollTop, top }: LanesCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const raster = useRef<Raster | null>(null);
  const { width } = useCanvasSize(canvas);
  const seen = range.value;
  const step = stepAnswer.value.kind === "there" ? stepAnswer.value.value : null;
  const [version, colors, what, stretch, match] = [tilesVersion.value, palette.value, selection.value, dragged.value, sitesMatch.value];
  usePointer(canvas, { lanes, scrollTop, timeline, width });
  useEffect(() => {
    if (seen === null || width === 0) return;
    const level = levelFor(seen, width, timeline.highest_level);
    const places = tilesOf(seen, level, timeline.span_ns);
    want([{ level: timeline.highest_level, number: 0 }, ...places]);
    const frame = requestAnimationFrame(() => {
      const context = canvas.current === null ? null : fitCanvas(canvas.current, width, height);
      if (context === null) return;
      const pieces = tilesFor(places, timeline.highest_level).map(({ tile, place }) => ({ tile, piece: rangeOf(place) }));
      const ratio = window.devicePixelRatio;
      const { width: wide, height: high } = context.canvas;
      if (raster.current?.fits(wide, high, ratio) !== true) raster.current = new Raster(wide, high, ratio);
      const drawn = paintFrame(
        context,
        raster.current,
        { palette: colors, lanes, scrollTop, range: seen, width, height, kinds: timeline.kinds, pieces },
        {
          episodes: step?.episodes ?? [],
          numberOf: (site) => (match ? numbersInActions.peek().get(site) : undefined),
          labelOf: labelsOf(timeline, match ? view.sites : []),
          selection: what,
          dragged: stretch,
        },
      );
      if (canvas.current !== null) canvas.current.dataset.drawn = String(drawn);
    });
    return () => cancelAnimationFrame(frame);
  }, [seen, width, height, scrollTop, lanes.length, heightKey(lanes), version, colors, what, stretch, match, step]);
  return <canvas ref={canvas} class="lanes" role="img" style={{ height: `${height}px`, top: `${top}px` }} aria-label={describe(seen)} />;
}

/** Lanes are laid out again with every drawing; their heights tell whether anything moved. */
function heightKey(lanes: readonly LaneBox[]): string {
  return lanes.map((lane) => `${lane.lane}:${lane.height}`).join();
}

function describe(seen: Range | null): string {
  const answer = stepAnswer.value;
  if (answer.kind !== "there" || seen === null) return "Timeline";
  const { duration_us, idle_share, episodes, causes } = answer.value;
  const idle = causes.map((row) => `${row.name} ${formatDuration(row.idle_us)}`).join(", ");
  const points = formatCounted(episodes.length, "sync point or copy", "sync points and copies");
  return `Timeline of a step of ${formatDuration(duration_us)}: GPU idle ${formatShare(idle_share)}${idle === "" ? "" : ` (${idle})`}, ${points}`;
}
