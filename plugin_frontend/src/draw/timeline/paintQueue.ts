// How much was queued: a bar a bucket, and a base line where nothing was.

import type { LaneBox } from "../../model/timeline/layout.ts";
import type { Range } from "../../model/timeline/range.ts";
import type { Tile } from "../../model/timeline/tile.ts";
import type { Raster } from "./raster.ts";
import { type Scene, xOf } from "./scene.ts";

const BASE_PX = 2.5;
/** A bucket in which nothing was queued for at least this part has the base line. */
const MOSTLY = 0.5;

export function paintQueues(raster: Raster, scene: Scene, tile: Tile, piece: Range): number {
  let drawn = 0;
  for (const { lane, most, emptyNs } of tile.depths) {
    const box = scene.lanes.find((one) => one.lane === lane);
    if (box !== undefined) drawn += paintQueue(raster, scene, tile, piece, box, most, emptyNs);
  }
  return drawn;
}

function paintQueue(raster: Raster, scene: Scene, tile: Tile, piece: Range, box: LaneBox, most: Uint32Array, emptyNs: Uint32Array): number {
  const bucketNs = 2 ** tile.level;
  const firstNs = tile.number * bucketNs * most.length;
  const from = Math.max(Math.floor((Math.max(piece.fromNs, scene.range.fromNs) - firstNs) / bucketNs), 0);
  const to = Math.min(Math.ceil((Math.min(piece.toNs, scene.range.toNs) - firstNs) / bucketNs), most.length);
  const { top, height } = box.lines[0] ?? { top: box.top, height: box.height };
  const bottom = top + height - scene.scrollTop;
  const width = Math.max((bucketNs / (scene.range.toNs - scene.range.fromNs)) * scene.width, 1);
  const peak = Math.max(box.row.peak, 1);
  for (let at = from; at < to; at += 1) {
    const bar = ((most[at] ?? 0) / peak) * (height - BASE_PX);
    if (bar > 0) raster.fill(xOf(scene, firstNs + at * bucketNs), bottom - bar, width, bar, scene.palette.depth);
  }
  for (let at = from; at < to; at += 1) {
    if ((emptyNs[at] ?? 0) >= bucketNs * MOSTLY) raster.fill(xOf(scene, firstNs + at * bucketNs), bottom - BASE_PX, width, BASE_PX, scene.palette.dry);
  }
  return Math.max(to - from, 0);
}
