// A tile of the timeline as the server sends it; the format stands in `tbprof/views/timeline_selection.py`.

const MAGIC = 0x54504254;
const VERSION = 1;
const HEAD_BYTES = 32;

export interface Tile {
  level: number;
  number: number;
  /** Instants since the window's first event. */
  startNs: Float64Array;
  endNs: Float64Array;
  /** `lane << 16 | line << 8 | kind` */
  place: Uint32Array;
  row: Int32Array;
  /** Index into `names`, the site of an episode, or -1. */
  name: Int32Array;
  /** Spans too short to be drawn, by bucket of the tile. */
  sharePlace: Uint32Array;
  shareBucket: Uint32Array;
  shareNs: Uint32Array;
  shareCount: Uint32Array;
  heights: readonly Heights[];
  names: readonly string[];
}

/** What a lane without spans shows, by bucket of the tile. */
export interface Heights {
  lane: number;
  height: Uint32Array;
  emptyNs: Uint32Array;
}

export const laneOf = (place: number): number => place >>> 16;
export const lineOf = (place: number): number => (place >>> 8) & 0xff;
export const kindOf = (place: number): number => place & 0xff;

/** Reads a tile; throws where the bytes are none of this version. */
export function readTile(bytes: ArrayBuffer, buckets: number): Tile {
  const head = new Uint32Array(bytes, 0, HEAD_BYTES / 4);
  const [magic, version, level = 0, number = 0, spans = 0, shares = 0, lanes = 0, nameBytes = 0] = head;
  if (magic !== MAGIC || version !== VERSION) throw new Error("The server sent a tile of another version. Reload the page.");
  let at = HEAD_BYTES;
  const doubles = (count: number): Float64Array => new Float64Array(bytes, (at += count * 8) - count * 8, count);
  const integers = (count: number): Int32Array => new Int32Array(bytes, (at += count * 4) - count * 4, count);
  const naturals = (count: number): Uint32Array => new Uint32Array(bytes, (at += count * 4) - count * 4, count);
  const [startNs, endNs, place, row, name] = [doubles(spans), doubles(spans), naturals(spans), integers(spans), integers(spans)];
  at += 4 * (spans % 2);
  const [sharePlace, shareBucket, shareNs, shareCount] = [naturals(shares), naturals(shares), naturals(shares), naturals(shares)];
  const heights = Array.from({ length: lanes }, (): Heights => ({ lane: naturals(1)[0] ?? 0, height: naturals(buckets), emptyNs: naturals(buckets) }));
  const names = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, at, nameBytes))) as string[];
  return { level, number, startNs, endNs, place, row, name, sharePlace, shareBucket, shareNs, shareCount, heights, names };
}
