// What lies under the pointer.

import { kindOf, laneOf, lineOf, type Tile } from "./tile.ts";

export interface Hit {
  kind: number;
  row: number;
  /** As in a tile: index into its names, or the site of an episode. */
  name: string;
  site: number;
  startNs: number;
  endNs: number;
  /** How many short spans stand together here; 1 for one that is drawn as itself. */
  count: number;
}

/** The innermost span of a line at an instant, else what stands together in its bucket; null for nothing. */
export function hitTest(tiles: readonly Tile[], lane: number, line: number, atNs: number, slackNs: number): Hit | null {
  for (const tile of tiles) {
    const span = spanAt(tile, lane, line, atNs, slackNs);
    if (span !== null) return span;
  }
  for (const tile of tiles) {
    const share = shareAt(tile, lane, line, atNs);
    if (share !== null) return share;
  }
  return null;
}

function spanAt(tile: Tile, lane: number, line: number, atNs: number, slackNs: number): Hit | null {
  let found: Hit | null = null;
  for (let at = 0; at < tile.place.length; at += 1) {
    const place = tile.place[at] ?? 0;
    const startNs = tile.startNs[at] ?? 0;
    const endNs = tile.endNs[at] ?? 0;
    if (laneOf(place) !== lane || lineOf(place) !== line || startNs - slackNs > atNs || endNs + slackNs < atNs) continue;
    if (found !== null && found.endNs - found.startNs <= endNs - startNs) continue;
    const name = tile.name[at] ?? -1;
    found = { kind: kindOf(place), row: tile.row[at] ?? -1, name: tile.names[name] ?? "", site: name, startNs, endNs, count: 1 };
  }
  return found;
}

function shareAt(tile: Tile, lane: number, line: number, atNs: number): Hit | null {
  const bucketNs = 2 ** tile.level;
  const firstNs = tile.number * bucketNs * 1024;
  const bucket = Math.floor((atNs - firstNs) / bucketNs);
  for (let at = 0; at < tile.sharePlace.length; at += 1) {
    const place = tile.sharePlace[at] ?? 0;
    if (tile.shareBucket[at] !== bucket || laneOf(place) !== lane || lineOf(place) !== line) continue;
    const startNs = firstNs + bucket * bucketNs;
    return { kind: kindOf(place), row: -1, name: "", site: -1, startNs, endNs: startNs + bucketNs, count: tile.shareCount[at] ?? 0 };
  }
  return null;
}
