// What one frame of the timeline's canvas shows, and where an instant lies in it.

import type { LaneBox } from "../../model/timeline/layout.ts";
import type { Range } from "../../model/timeline/range.ts";
import type { Tile } from "../../model/timeline/tile.ts";
import type { Palette } from "./palette.ts";

export interface Scene {
  palette: Palette;
  lanes: readonly LaneBox[];
  /** How far the lanes are scrolled. */
  scrollTop: number;
  range: Range;
  width: number;
  height: number;
  kinds: readonly string[];
  /** Tiles with the part of them that is drawn: pieces do not overlap. */
  pieces: readonly { tile: Tile; piece: Range }[];
}

/** Pixels of an instant, from the left of the lanes. */
export function xOf({ range, width }: Scene, ns: number): number {
  return ((ns - range.fromNs) / (range.toNs - range.fromNs)) * width;
}

/** Pixels of a height among the lanes. */
export function yOf({ scrollTop }: Scene, top: number): number {
  return top - scrollTop;
}
