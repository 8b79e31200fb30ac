// The spans and shares of a tile. Returns how many were drawn.

import { kindOf, type Tile } from "../../model/tile.ts";
import type { LineBox } from "../../model/timelineLayout.ts";
import type { Range } from "../../model/timelineRange.ts";
import type { Mark } from "./palette.ts";
import { xOf, type Scene } from "./scene.ts";

const TILE_BUCKETS = 1024;
/** Nothing is drawn narrower or lower than this. */
const LEAST_PX = 1;
const LABEL_FROM_PX = 28;
/** Fewer letters than this are no name. */
const LEAST_LETTERS = 3;
const LABEL_INSET = 4;

/** Boxes of the lines that are shown and in sight, by `lane << 8 | line`. */
export type Boxes = ReadonlyMap<number, LineBox>;

export function boxesInSight(scene: Scene): Boxes {
  const boxes = new Map<number, LineBox>();
  for (const lane of scene.lanes) {
    for (const line of lane.lines) {
      const top = line.top - scene.scrollTop;
      if (top < scene.height && top + line.height > 0) boxes.set((lane.lane << 8) | line.line, { ...line, top });
    }
  }
  return boxes;
}

/** Whole spans; a border of the surface keeps neighbours apart. `labelOf` names one of them. */
export function paintSpans(
  context: CanvasRenderingContext2D,
  scene: Scene,
  tile: Tile,
  piece: Range,
  boxes: Boxes,
  labelOf: (tile: Tile, at: number) => string,
): number {
  let drawn = 0;
  let lastKind = -1;
  let mark = scene.palette.mark("other");
  for (let at = 0; at < tile.place.length; at += 1) {
    const place = tile.place[at] ?? 0;
    const box = boxes.get(place >>> 8);
    if (box === undefined) continue;
    const startNs = Math.max(tile.startNs[at] ?? 0, piece.fromNs);
    const endNs = Math.min(tile.endNs[at] ?? 0, piece.toNs);
    const left = Math.max(xOf(scene, startNs), -2);
    const right = Math.min(xOf(scene, endNs), scene.width + 2);
    if (endNs < startNs || right < left) continue;
    if (kindOf(place) !== lastKind) {
      lastKind = kindOf(place);
      mark = scene.palette.mark(scene.kinds[lastKind] ?? "");
      context.fillStyle = mark.ink;
    }
    // A hair between neighbours, but not where a tile's edge cuts a span.
    const isWhole = endNs === tile.endNs[at];
    const width = Math.max(right - left - (isWhole && right - left > 3 ? 0.5 : 0), LEAST_PX);
    context.fillRect(left, box.top, width, box.height);
    drawn += 1;
    if (mark.dashed && width > 3) dash(context, scene, box, left, left + width, startNs === tile.startNs[at], isWhole);
    if (width >= LABEL_FROM_PX && box.height >= 12) {
      // A span that a tile's edge cuts is named in its first part that is seen.
      if (startNs > (tile.startNs[at] ?? 0) && startNs > scene.range.fromNs) continue;
      const inset = Math.max(left, 0) + LABEL_INSET;
      paintLabel(context, scene, mark, labelOf(tile, at), inset, Math.min(right, scene.width) - LABEL_INSET - inset, box);
      context.fillStyle = mark.ink;
    }
  }
  return drawn;
}

/** What is too short to be drawn: for each bucket a bar as high as its share, at least a pixel. */
export function paintShares(context: CanvasRenderingContext2D, scene: Scene, tile: Tile, piece: Range, boxes: Boxes): number {
  const bucketNs = 2 ** tile.level;
  const firstNs = tile.number * bucketNs * TILE_BUCKETS;
  const width = Math.max((bucketNs / (scene.range.toNs - scene.range.fromNs)) * scene.width, LEAST_PX);
  const stacked = new Float32Array(TILE_BUCKETS);
  let drawn = 0;
  let lastPlace = -1;
  let box: LineBox | undefined;
  for (let at = 0; at < tile.sharePlace.length; at += 1) {
    const place = tile.sharePlace[at] ?? 0;
    if (place !== lastPlace) {
      if (place >>> 8 !== lastPlace >>> 8) stacked.fill(0);
      lastPlace = place;
      box = boxes.get(place >>> 8);
      if (box !== undefined) context.fillStyle = shareInk(scene, kindOf(place));
    }
    if (box === undefined) continue;
    const bucket = tile.shareBucket[at] ?? 0;
    const startNs = firstNs + bucket * bucketNs;
    if (startNs < piece.fromNs || startNs >= piece.toNs) continue;
    const left = xOf(scene, startNs);
    if (left > scene.width || left + width < 0) continue;
    const below = stacked[bucket] ?? 0;
    const height = Math.min(Math.max(((tile.shareNs[at] ?? 0) / bucketNs) * box.height, LEAST_PX), box.height - below);
    context.fillRect(left, box.top + box.height - below - height, width, height);
    stacked[bucket] = below + height;
    drawn += 1;
  }
  return drawn;
}

/** A wait that is too short for its dashes is grey. */
function shareInk(scene: Scene, kind: number): string | CanvasPattern {
  const mark = scene.palette.mark(scene.kinds[kind] ?? "");
  return mark.dashed ? scene.palette.strong : mark.ink;
}

/** A dashed border, open where a tile's edge cuts the span. */
function dash(context: CanvasRenderingContext2D, { palette }: Scene, box: LineBox, left: number, right: number, begins: boolean, ends: boolean): void {
  const [top, bottom] = [box.top + 0.5, box.top + box.height - 0.5];
  context.strokeStyle = palette.strong;
  context.setLineDash([3, 2]);
  context.beginPath();
  context.moveTo(left, top);
  context.lineTo(right, top);
  context.moveTo(left, bottom);
  context.lineTo(right, bottom);
  for (const [there, x] of [[begins, left + 0.5], [ends, right - 0.5]] as const) {
    if (!there) continue;
    context.moveTo(x, top);
    context.lineTo(x, bottom);
  }
  context.stroke();
  context.setLineDash([]);
}

/** A name; on a pattern it stands on a plate, so that it can be read. */
function paintLabel(context: CanvasRenderingContext2D, { palette }: Scene, mark: Mark, name: string, left: number, room: number, box: LineBox): void {
  const text = shorten(context, name, room);
  if (text === "") return;
  const middle = box.top + box.height / 2;
  if (typeof mark.ink !== "string") {
    context.fillStyle = palette.surface;
    context.fillRect(left - 2, middle - 8, context.measureText(text).width + 4, 16);
  }
  context.fillStyle = typeof mark.ink === "string" ? mark.text : palette.text;
  context.fillText(text, left, middle + 4);
}

/** As much of a name as fits; nothing rather than a lone letter. */
function shorten(context: CanvasRenderingContext2D, text: string, room: number): string {
  const needed = context.measureText(text).width;
  if (needed <= room) return text;
  const letters = Math.floor((text.length * room) / needed) - 2;
  return letters < LEAST_LETTERS ? "" : `${text.slice(0, letters)}…`;
}
