// What a lane without spans shows, a bar a bucket: how much was queued, or how full the GPU was.

import type { LaneBox } from "../../model/timeline/layout.ts";
import type { Range } from "../../model/timeline/range.ts";
import type { Heights, Tile } from "../../model/timeline/tile.ts";
import type { Palette } from "./palette.ts";
import type { Raster } from "./raster.ts";
import { type Scene, xOf } from "./scene.ts";

const BASE_PX = 2.5;
/** A bucket in which nothing was queued for at least this part has the base line. */
const MOSTLY = 0.5;

export function paintHeights(raster: Raster, scene: Scene, tile: Tile, piece: Range): number {
  let drawn = 0;
  for (const heights of tile.heights) {
    const box = scene.lanes.find((one) => one.lane === heights.lane);
    if (box !== undefined) drawn += paintLane(raster, scene, tile, piece, box, heights);
  }
  return drawn;
}

function paintLane(raster: Raster, scene: Scene, tile: Tile, piece: Range, box: LaneBox, { height: heights, emptyNs }: Heights): number {
  const bucketNs = 2 ** tile.level;
  const firstNs = tile.number * bucketNs * heights.length;
  const from = Math.max(Math.floor((Math.max(piece.fromNs, scene.range.fromNs) - firstNs) / bucketNs), 0);
  const to = Math.min(Math.ceil((Math.min(piece.toNs, scene.range.toNs) - firstNs) / bucketNs), heights.length);
  const { top, height } = box.lines[0] ?? { top: box.top, height: box.height };
  const bottom = top + height - scene.scrollTop;
  const width = Math.max((bucketNs / (scene.range.toNs - scene.range.fromNs)) * scene.width, 1);
  const peak = Math.max(box.row.peak, 1);
  const { palette } = scene;
  const bars = (inks: Palette["depth"], share: (at: number) => number): void => {
    for (let at = from; at < to; at += 1) {
      const bar = share(at) * (height - BASE_PX);
      if (bar > 0) raster.fill(xOf(scene, firstNs + at * bucketNs), bottom - bar, width, bar, inks);
    }
  };
  const emptyShare = (at: number): number => Math.min((emptyNs[at] ?? 0) / bucketNs, 1);
  const heightAt = (at: number): number => (heights[at] ?? 0) / peak;
  if (box.row.kind === "use") {
    bars(palette.depth, (at) => 1 - emptyShare(at));
    bars(palette.full, heightAt);
  } else {
    bars(palette.depth, heightAt);
    for (let at = from; at < to; at += 1) {
      if (emptyShare(at) >= MOSTLY) raster.fill(xOf(scene, firstNs + at * bucketNs), bottom - BASE_PX, width, BASE_PX, palette.dry);
    }
  }
  return Math.max(to - from, 0);
}
