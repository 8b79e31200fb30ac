// The spans and shares of a tile. Returns how many were drawn.

import type { LineBox } from "../../model/timeline/layout.ts";
import type { Range } from "../../model/timeline/range.ts";
import { kindOf, type Tile } from "../../model/timeline/tile.ts";
import type { NamedSpan } from "./paintNames.ts";
import type { PixelInk, Raster } from "./raster.ts";
import type { Scene } from "./scene.ts";

const TILE_BUCKETS = 1024;
/** Nothing is drawn narrower or lower than this. */
const LEAST_PX = 1;
/** Room for a name, and for a dashed border. */
const LABEL_FROM_PX = 28;
const BORDER_FROM_PX = 3;

/** Boxes of the lines that are shown and in sight, by `lane << 8 | line`. */
type Boxes = ReadonlyMap<number, LineBox>;

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

/** Whole spans, a hair apart; those with room for a name or a border are added to `named`. */
export function paintSpans(raster: Raster, scene: Scene, tile: Tile, piece: Range, boxes: Boxes, named: NamedSpan[]): number {
  const { fromNs, toNs } = scene.range;
  const pxPerNs = scene.width / (toNs - fromNs);
  const [leastNs, mostNs] = [Math.max(piece.fromNs, fromNs), Math.min(piece.toNs, toNs)];
  let drawn = 0;
  let lastPlace = -1;
  let box: LineBox | undefined;
  let mark = scene.palette.mark("other");
  // Thousands of spans a frame: what is the same for a whole line is found once.
  for (let at = 0; at < tile.place.length; at += 1) {
    const place = tile.place[at] as number;
    if (place !== lastPlace) {
      lastPlace = place;
      box = boxes.get(place >>> 8);
      mark = scene.palette.mark(scene.kinds[kindOf(place)] ?? "");
    }
    const [start, end] = [tile.startNs[at] as number, tile.endNs[at] as number];
    if (box === undefined || end < leastNs || start > mostNs) continue;
    const left = start > leastNs ? (start - fromNs) * pxPerNs : (leastNs - fromNs) * pxPerNs;
    const right = (Math.min(end, mostNs) - fromNs) * pxPerNs;
    // A tile's edge may cut a span: there it goes on.
    const isWhole = end <= mostNs;
    const width = Math.max(right - left - (isWhole && right - left > 3 ? 0.5 : 0), LEAST_PX);
    raster.fill(left, box.top, width, box.height, mark.ink);
    drawn += 1;
    if (width >= LABEL_FROM_PX || (mark.dashed && width > BORDER_FROM_PX)) {
      named.push({ tile, at, mark, box, left, right: left + width, begins: start >= leastNs, ends: isWhole, isFirst: start >= leastNs || leastNs === fromNs });
    }
  }
  return drawn;
}

/** What is too short to be drawn: for each bucket a bar as high as its share, at least a pixel. */
export function paintShares(raster: Raster, scene: Scene, tile: Tile, piece: Range, boxes: Boxes): number {
  const bucketNs = 2 ** tile.level;
  const pxPerNs = scene.width / (scene.range.toNs - scene.range.fromNs);
  const firstNs = tile.number * bucketNs * TILE_BUCKETS;
  const first = Math.floor((Math.max(piece.fromNs, scene.range.fromNs) - firstNs) / bucketNs);
  const last = Math.ceil((Math.min(piece.toNs, scene.range.toNs) - firstNs) / bucketNs) - 1;
  const width = Math.max(bucketNs * pxPerNs, LEAST_PX);
  const stacked = new Float32Array(TILE_BUCKETS);
  let drawn = 0;
  let lastPlace = -1;
  let box: LineBox | undefined;
  let ink = scene.palette.gray;
  for (let at = 0; at < tile.sharePlace.length; at += 1) {
    const place = tile.sharePlace[at] as number;
    if (place !== lastPlace) {
      if (place >>> 8 !== lastPlace >>> 8) stacked.fill(0);
      lastPlace = place;
      box = boxes.get(place >>> 8);
      ink = shareInk(scene, kindOf(place));
    }
    const bucket = tile.shareBucket[at] as number;
    if (box === undefined || bucket < first || bucket > last) continue;
    const below = stacked[bucket] as number;
    const height = Math.min(Math.max(((tile.shareNs[at] as number) / bucketNs) * box.height, LEAST_PX), box.height - below);
    raster.fill((firstNs + bucket * bucketNs - scene.range.fromNs) * pxPerNs, box.top + box.height - below - height, width, height, ink);
    stacked[bucket] = below + height;
    drawn += 1;
  }
  return drawn;
}

/** A wait that is too short for its dashes is gray. */
function shareInk(scene: Scene, kind: number): PixelInk {
  const mark = scene.palette.mark(scene.kinds[kind] ?? "");
  return mark.dashed ? scene.palette.gray : mark.ink;
}
