import assert from "node:assert/strict";
import { test } from "node:test";
import { hitTest } from "../src/model/timeline/hit.ts";
import { kindOf, laneOf, lineOf, readTile } from "../src/model/timeline/tile.ts";

const BUCKETS = 1024;

/** One span of lane 3, line 1, kind 2, from 5 to 25 ns, and one share of two short spans in bucket 7; level 0. */
function bytes(version = 1): ArrayBuffer {
  const names = new TextEncoder().encode('["k<b>"]');
  const data = new ArrayBuffer(32 + 16 + 12 + 4 + 16 + names.length);
  new Uint32Array(data, 0, 8).set([0x54504254, version, 0, 0, 1, 1, 0, names.length]);
  new Float64Array(data, 32, 2).set([5, 25]);
  new Int32Array(data, 48, 3).set([(3 << 16) | (1 << 8) | 2, 42, 0]);
  new Uint32Array(data, 64, 4).set([(3 << 16) | (1 << 8) | 4, 7, 1, 2]);
  new Uint8Array(data, 80).set(names);
  return data;
}

test("a tile is read as the server wrote it", () => {
  const tile = readTile(bytes(), BUCKETS);
  const place = tile.place[0] ?? 0;
  assert.deepEqual([laneOf(place), lineOf(place), kindOf(place)], [3, 1, 2]);
  assert.deepEqual([tile.startNs[0], tile.endNs[0], tile.row[0], tile.names], [5, 25, 42, ["k<b>"]]);
  assert.deepEqual([tile.shareBucket[0], tile.shareNs[0], tile.shareCount[0]], [7, 1, 2]);
});

test("a tile of another version is refused", () => {
  assert.throws(() => readTile(bytes(2), BUCKETS), /another version/);
});

test("the pointer finds the span, else what stands together in the bucket", () => {
  const tiles = [readTile(bytes(), BUCKETS)];
  assert.equal(hitTest(tiles, 3, 1, 10, 0)?.row, 42);
  assert.equal(hitTest(tiles, 3, 1, 26, 2)?.row, 42);
  assert.equal(hitTest(tiles, 3, 0, 10, 0), null);
  assert.equal(hitTest(tiles, 3, 1, 40, 0), null);
  const share = hitTest(
    tiles.map((tile) => ({ ...tile, place: new Uint32Array() })),
    3,
    1,
    7.5,
    0,
  );
  assert.deepEqual([share?.count, share?.startNs, share?.endNs, share?.row], [2, 7, 8, -1]);
});
