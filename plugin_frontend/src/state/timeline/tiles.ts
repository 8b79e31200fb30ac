// The tiles that have been fetched, and those that what is seen still needs.

import { effect, signal } from "@preact/signals";
import type { WindowAddress } from "../../api/routes.ts";
import { fetchTile, hasTile } from "../../api/timeline.ts";
import { above, type TilePlace } from "../../model/timeline/range.ts";
import { readTile, type Tile } from "../../model/timeline/tile.ts";
import { failureOf } from "../loading/loaded.ts";
import { timeline, timelineAddress } from "./timeline.ts";

/** Of about 100 kB each. */
const KEPT = 96;
const AT_ONCE = 4;

/** Rises with every tile that arrives. */
export const tilesVersion = signal(0);
/** Why the last tile did not come; "" if it did. */
export const tilesFailure = signal("");

const tiles = new Map<string, Tile>();
const asked = new Set<string>();
let wanted: TilePlace[] = [];
let control = new AbortController();

const keyOf = ({ level, number }: TilePlace): string => `${level}/${number}`;

/** Forgets the tiles of another window, now and whenever it changes. */
export function followTiles(): () => void {
  const end = effect(() => {
    void timeline.value;
    forget();
  });
  return () => {
    end();
    forget();
  };
}

function forget(): void {
  control.abort();
  control = new AbortController();
  tiles.clear();
  asked.clear();
  wanted = [];
  tilesFailure.value = "";
  tilesVersion.value = tilesVersion.peek() + 1;
}

/** Asks for the tiles that are missing; what was wanted before, and not asked for yet, is dropped. */
export function want(places: readonly TilePlace[]): void {
  const address = timelineAddress();
  const isMissing = (place: TilePlace): boolean => !tiles.has(keyOf(place)) && !asked.has(keyOf(place));
  wanted = address === null ? [] : places.map((place) => carriedFor(address, place)).filter(isMissing);
  fetchNext();
}

/** The tile itself, or the next coarser one where only that is carried. */
function carriedFor(address: WindowAddress, place: TilePlace): TilePlace {
  const highest = timeline.peek()?.highest_level ?? place.level;
  let at = place;
  while (at.level < highest && !hasTile(address, at.level, at.number)) at = above(at);
  return at;
}

interface DrawnTile {
  tile: Tile;
  /** The part of it that stands for a tile that is not there yet, or itself. */
  place: TilePlace;
}

/** For each place its tile, or the next coarser one that is there. */
export function tilesFor(places: readonly TilePlace[], highest: number): DrawnTile[] {
  return places.flatMap((place) => {
    let at = place;
    while (at.level < highest && !tiles.has(keyOf(at))) at = above(at);
    const tile = tiles.get(keyOf(at));
    if (tile === undefined) return [];
    // Used last, dropped last.
    tiles.delete(keyOf(at));
    tiles.set(keyOf(at), tile);
    return [{ tile, place }];
  });
}

export function tileAt(place: TilePlace): Tile | null {
  return tiles.get(keyOf(place)) ?? null;
}

function fetchNext(): void {
  const [view, address] = [timeline.peek(), timelineAddress()];
  if (view === null || address === null) return;
  while (asked.size < AT_ONCE) {
    const place = wanted.shift();
    if (place === undefined) return;
    asked.add(keyOf(place));
    void receive(place, view.tile_buckets, fetchTile(address, place.level, place.number, control.signal), control.signal);
  }
}

async function receive(place: TilePlace, buckets: number, answer: Promise<ArrayBuffer>, signal: AbortSignal): Promise<void> {
  try {
    const tile = readTile(await answer, buckets);
    if (signal.aborted) return;
    tiles.set(keyOf(place), tile);
    for (const key of [...tiles.keys()].slice(0, Math.max(tiles.size - KEPT, 0))) tiles.delete(key);
    tilesFailure.value = "";
  } catch (error) {
    if (signal.aborted) return;
    tilesFailure.value = failureOf(error).message;
  }
  asked.delete(keyOf(place));
  tilesVersion.value = tilesVersion.peek() + 1;
  fetchNext();
}
