// Which part of a window is seen, at which level of detail, and how it zooms and pans.

export interface Range {
  fromNs: number;
  toNs: number;
}

/** Nobody looks closer than this. */
const SHORTEST_NS = 200;

/** How much of a step's length is shown before and after it. */
const AROUND = 0.05;
const TILE_BITS = 10;

export interface TilePlace {
  level: number;
  number: number;
}

/** The range kept within `[0, spanNs]`, no shorter than can be looked at. */
export function within(range: Range, spanNs: number): Range {
  const length = Math.min(Math.max(range.toNs - range.fromNs, SHORTEST_NS), Math.max(spanNs, SHORTEST_NS));
  const fromNs = Math.min(Math.max(range.fromNs, 0), Math.max(spanNs - length, 0));
  return { fromNs, toNs: fromNs + length };
}

/** Makes the range `factor` times as long; what lies at `anchorNs` stays where it is. */
export function zoom(range: Range, factor: number, anchorNs: number, spanNs: number): Range {
  const length = Math.min(Math.max((range.toNs - range.fromNs) * factor, SHORTEST_NS), Math.max(spanNs, SHORTEST_NS));
  const part = (anchorNs - range.fromNs) / (range.toNs - range.fromNs);
  return within({ fromNs: anchorNs - part * length, toNs: anchorNs + (1 - part) * length }, spanNs);
}

/** Moves it by a part of its own length. */
export function pan(range: Range, part: number, spanNs: number): Range {
  const by = (range.toNs - range.fromNs) * part;
  return within({ fromNs: range.fromNs + by, toNs: range.toNs + by }, spanNs);
}

/** Something with a little around it. */
export function around(startNs: number, endNs: number, spanNs: number, part = AROUND): Range {
  const more = Math.max((endNs - startNs) * part, SHORTEST_NS / 2);
  return within({ fromNs: startNs - more, toNs: endNs + more }, spanNs);
}

/** Moves a range as little as is needed to see an interval; one that is too long for it is fitted. */
export function reveal(range: Range, startNs: number, endNs: number, spanNs: number): Range {
  const length = range.toNs - range.fromNs;
  if (endNs - startNs > length) return around(startNs, endNs, spanNs);
  if (startNs >= range.fromNs && endNs <= range.toNs) return range;
  const middle = (startNs + endNs) / 2;
  return within({ fromNs: middle - length / 2, toNs: middle + length / 2 }, spanNs);
}

/** The level whose buckets are one to two pixels wide. */
export function levelFor(range: Range, widthPx: number, highest: number): number {
  const nsPerPx = (range.toNs - range.fromNs) / Math.max(widthPx, 1);
  return Math.min(Math.max(Math.ceil(Math.log2(nsPerPx)), 0), highest);
}

/** The tiles that a range touches, from its start. */
export function tilesOf(range: Range, level: number, spanNs: number): TilePlace[] {
  const tileNs = 2 ** (level + TILE_BITS);
  const last = Math.floor(Math.min(range.toNs, Math.max(spanNs - 1, 0)) / tileNs);
  const first = Math.min(Math.floor(range.fromNs / tileNs), last);
  return Array.from({ length: last - first + 1 }, (_, at) => ({ level, number: first + at }));
}

/** When a tile begins and ends. */
export function rangeOf({ level, number }: TilePlace): Range {
  const tileNs = 2 ** (level + TILE_BITS);
  return { fromNs: number * tileNs, toNs: (number + 1) * tileNs };
}

/** The tile of the next higher level that holds this one. */
export function above({ level, number }: TilePlace): TilePlace {
  return { level: level + 1, number: Math.floor(number / 2) };
}
