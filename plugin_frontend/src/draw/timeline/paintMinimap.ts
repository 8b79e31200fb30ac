// The whole window in one strip: what the GPU did, where the steps begin, and what is seen below.

import type { StepMark } from "../../api/types.ts";
import type { Range } from "../../model/timeline/range.ts";
import { kindOf, laneOf, type Tile } from "../../model/timeline/tile.ts";
import type { Palette } from "./palette.ts";

const TOP = 6;
const BAR = 14;
const TILE_BUCKETS = 1024;
const LABEL_ROOM_PX = 44;
const STEP_ALPHA = 0.4;

interface Minimap {
  palette: Palette;
  width: number;
  height: number;
  spanNs: number;
  kinds: readonly string[];
  steps: readonly { mark: StepMark; label: string }[];
  /** The tile that holds the whole window, once it is there. */
  tile: Tile | null;
  /** Of the busiest device; null without one. */
  idleLane: number | null;
  range: Range;
}

export function paintMinimap(context: CanvasRenderingContext2D, map: Minimap): void {
  const { palette, width, height } = map;
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, width, height);
  context.font = palette.font;
  const x = (ns: number): number => (ns / Math.max(map.spanNs, 1)) * width;
  paintSteps(context, map, x);
  if (map.tile !== null && map.idleLane !== null) paintIdle(context, map, map.tile, map.idleLane, x);
  let free = -Infinity;
  for (const { mark, label } of map.steps) {
    const left = x(mark.start_ns);
    context.fillStyle = palette.strong;
    context.fillRect(Math.round(left), 2, 1, height - 4);
    if (left < free) continue;
    free = left + LABEL_ROOM_PX;
    context.fillStyle = palette.text3;
    context.fillText(label, left + 4, height - 4);
  }
  const [left, right] = [x(map.range.fromNs), x(map.range.toNs)];
  context.fillStyle = palette.surface;
  context.globalAlpha = 0.45;
  context.fillRect(0, 0, left, height);
  context.fillRect(right, 0, width - right, height);
  context.globalAlpha = 1;
  context.strokeStyle = palette.accent;
  context.lineWidth = 2;
  context.strokeRect(Math.max(left, 1), 1, Math.max(Math.min(right, width - 1) - Math.max(left, 1), 3), height - 2);
  context.lineWidth = 1;
}

/** Idle is known within the steps: there the GPU worked where nothing else is drawn. Without a GPU they are just steps. */
function paintSteps(context: CanvasRenderingContext2D, { palette, steps, idleLane }: Minimap, x: (ns: number) => number): void {
  context.fillStyle = idleLane === null ? palette.text3 : palette.compute;
  context.globalAlpha = idleLane === null ? STEP_ALPHA : 1;
  for (const { mark } of steps) context.fillRect(x(mark.start_ns), TOP, x(mark.duration_ns) - 1, BAR);
  context.globalAlpha = 1;
}

function paintIdle(context: CanvasRenderingContext2D, { palette, kinds }: Minimap, tile: Tile, lane: number, x: (ns: number) => number): void {
  for (let at = 0; at < tile.place.length; at += 1) {
    if (laneOf(tile.place[at] ?? 0) !== lane) continue;
    context.fillStyle = palette.plain(kinds[kindOf(tile.place[at] ?? 0)] ?? "");
    const left = x(tile.startNs[at] ?? 0);
    context.fillRect(left, TOP, Math.max(x(tile.endNs[at] ?? 0) - left, 1), BAR);
  }
  const bucketNs = 2 ** tile.level;
  const stacked = new Float32Array(TILE_BUCKETS);
  for (let at = 0; at < tile.sharePlace.length; at += 1) {
    if (laneOf(tile.sharePlace[at] ?? 0) !== lane) continue;
    const bucket = tile.shareBucket[at] ?? 0;
    const height = ((tile.shareNs[at] ?? 0) / bucketNs) * BAR;
    context.fillStyle = palette.plain(kinds[kindOf(tile.sharePlace[at] ?? 0)] ?? "");
    const below = stacked[bucket] ?? 0;
    context.fillRect(x(bucket * bucketNs), TOP + BAR - below - height, Math.max(x(bucketNs), 1), height);
    stacked[bucket] = below + height;
  }
}
