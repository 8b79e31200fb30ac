// The pointer over the lanes: hover shows, a click selects, a drag marks a stretch, Ctrl and the wheel zoom.

import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { TimelineView } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatCounted } from "../../format/number.ts";
import { type Hit, hitTest } from "../../model/timeline/hit.ts";
import { type LaneBox, lineAt } from "../../model/timeline/layout.ts";
import { levelFor, tilesOf } from "../../model/timeline/range.ts";
import { tilesFor } from "../../state/timeline/tiles.ts";
import { select } from "../../state/timeline/timeline.ts";
import { fit, panBy, range, zoomAround } from "../../state/timeline/timelineRange.ts";
import { dragged } from "./actions.ts";

/** A press that moves less than this is a click. */
const CLICK_PX = 3;
/** How far from a span a click still means it. */
const SLACK_PX = 2;

interface PointerGround {
  lanes: readonly LaneBox[];
  scrollTop: number;
  timeline: TimelineView;
  width: number;
}

export function usePointer(canvas: RefObject<HTMLCanvasElement | null>, ground: PointerGround): void {
  const latest = useRef(ground);
  latest.current = ground;
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const control = new AbortController();
    const options = { signal: control.signal };
    let pressedAt: number | null = null;
    element.addEventListener(
      "pointerdown",
      (event) => {
        if (event.button !== 0) return;
        pressedAt = event.offsetX;
        element.setPointerCapture(event.pointerId);
      },
      options,
    );
    element.addEventListener(
      "pointermove",
      (event) => {
        if (pressedAt === null) element.title = describe(hitAt(event, latest.current), latest.current.timeline);
        else if (Math.abs(event.offsetX - pressedAt) >= CLICK_PX) dragged.value = stretch(pressedAt, event.offsetX, latest.current);
      },
      options,
    );
    element.addEventListener(
      "pointerup",
      (event) => {
        const start = pressedAt;
        pressedAt = null;
        if (start !== null && Math.abs(event.offsetX - start) < CLICK_PX) click(event, latest.current);
      },
      options,
    );
    element.addEventListener(
      "dblclick",
      (event) => {
        const hit = hitAt(event, latest.current);
        if (hit !== null) fit(hit.startNs, hit.endNs);
      },
      options,
    );
    element.addEventListener("wheel", (event) => wheel(event, latest.current), { ...options, passive: false });
    return () => control.abort();
  }, []);
}

function nsAt(x: number, { width }: PointerGround): number {
  const seen = range.peek();
  return seen === null ? 0 : seen.fromNs + (x / Math.max(width, 1)) * (seen.toNs - seen.fromNs);
}

function stretch(x1: number, x2: number, ground: PointerGround): { fromNs: number; toNs: number } {
  return { fromNs: nsAt(Math.min(x1, x2), ground), toNs: nsAt(Math.max(x1, x2), ground) };
}

interface LaneHit extends Hit {
  lane: LaneBox;
}

function hitAt(event: MouseEvent, ground: PointerGround): LaneHit | null {
  const { lanes, scrollTop, timeline, width } = ground;
  const seen = range.peek();
  const at = lineAt(lanes, event.offsetY + scrollTop);
  if (seen === null || at === null) return null;
  const places = tilesOf(seen, levelFor(seen, width, timeline.highest_level), timeline.span_ns);
  const tiles = tilesFor(places, timeline.highest_level).map(({ tile }) => tile);
  const slack = ((seen.toNs - seen.fromNs) / Math.max(width, 1)) * SLACK_PX;
  const hit = hitTest(tiles, at.lane.lane, at.line.line, nsAt(event.offsetX, ground), slack);
  return hit === null ? null : { ...hit, lane: at.lane };
}

function click(event: PointerEvent, ground: PointerGround): void {
  dragged.value = null;
  const hit = hitAt(event, ground);
  if (hit === null) select(null);
  else if (hit.lane.row.kind === "idle") select({ kind: "gap", number: Math.max(nsAt(event.offsetX, ground), hit.startNs) });
  // What stands together is too small to be meant: look closer.
  else if (hit.row < 0) fit(hit.startNs, hit.endNs);
  else select({ kind: hit.lane.row.kind === "episodes" ? "episode" : "row", number: hit.row });
}

function wheel(event: WheelEvent, ground: PointerGround): void {
  if (event.ctrlKey) {
    event.preventDefault();
    zoomAround(2 ** (event.deltaY / 200), nsAt(event.offsetX, ground));
  } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    event.preventDefault();
    panBy((event.deltaX || event.deltaY) / 500);
  }
}

function describe(hit: LaneHit | null, timeline: TimelineView): string {
  if (hit === null) return "";
  const kind = timeline.kinds[hit.kind] ?? "";
  const name = hit.name === "" ? (timeline.causes.find(({ cause }) => cause === kind)?.name ?? "") : hit.name;
  const length = hit.row < 0 && hit.lane.row.kind !== "idle" ? formatCounted(hit.count, "short one") : formatDuration((hit.endNs - hit.startNs) / 1000);
  return name === "" ? length : `${name} · ${length}`;
}
