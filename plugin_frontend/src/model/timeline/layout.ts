// Which lines of the timeline are shown, and where: from the top, in CSS pixels.

import type { LaneRow } from "../../api/types.ts";

/** Lines of these groups are shown only with "Ops", but for the outermost op of a thread. */
const DETAIL: ReadonlySet<string> = new Set(["frame", "op"]);

const PADDING = 4;
const LINE_HEIGHT: Record<string, number> = { idle: 28, share: 36, work: 22, depth: 52, episode: 24 };
const USUAL_HEIGHT = 18;
/** Room for the two lines of a lane's name. */
const LEAST_HEIGHT = 36;
/** Between two lines of a lane. */
const LINE_GAP = 1;

export interface LineBox {
  /** Its number in its lane, as tiles have it. */
  line: number;
  top: number;
  height: number;
}

export interface LaneBox {
  lane: number;
  row: LaneRow;
  top: number;
  height: number;
  lines: readonly LineBox[];
}

/** Stacks the lanes; those of a kind that is switched off, and those without a line, are left out. */
export function layOutLanes(lanes: readonly LaneRow[], shown: { ops: boolean; idle: boolean; episodes: boolean }): LaneBox[] {
  let top = 0;
  return lanes.flatMap((row, lane) => {
    if (row.kind === "idle" && !shown.idle) return [];
    if (row.kind === "episodes" && !shown.episodes) return [];
    const box = layOutLane(row, lane, top, shown.ops);
    if (box.lines.length === 0) return [];
    top += box.height;
    return [box];
  });
}

function layOutLane(row: LaneRow, lane: number, laneTop: number, ops: boolean): LaneBox {
  const outermost = row.lines.indexOf("op");
  let top = laneTop + PADDING;
  const lines = row.lines.flatMap((group, line): LineBox[] => {
    if (!ops && DETAIL.has(group) && line !== outermost) return [];
    const height = LINE_HEIGHT[group] ?? USUAL_HEIGHT;
    const box = { line, top, height };
    top += height + LINE_GAP;
    return [box];
  });
  const height = Math.max(top - LINE_GAP + PADDING - laneTop, LEAST_HEIGHT);
  const free = (height - (top - LINE_GAP + PADDING - laneTop)) / 2;
  return { lane, row, top: laneTop, height, lines: lines.map((box) => ({ ...box, top: box.top + free })) };
}

export function heightOf(lanes: readonly LaneBox[]): number {
  const last = lanes.at(-1);
  return last === undefined ? 0 : last.top + last.height;
}

/** The line at a height; null between lines. */
export function lineAt(lanes: readonly LaneBox[], y: number): { lane: LaneBox; line: LineBox } | null {
  for (const lane of lanes) {
    const line = lane.lines.find((box) => y >= box.top && y < box.top + box.height);
    if (line !== undefined) return { lane, line };
  }
  return null;
}

/** Where a line of a lane is; null where it is not shown. */
export function boxOf(lanes: readonly LaneBox[], lane: number, line: number): LineBox | null {
  return lanes.find((box) => box.lane === lane)?.lines.find((box) => box.line === line) ?? null;
}
