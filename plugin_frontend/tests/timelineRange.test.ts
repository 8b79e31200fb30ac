import assert from "node:assert/strict";
import { test } from "node:test";
import { above, around, levelFor, pan, rangeOf, reveal, tilesOf, within, zoom } from "../src/model/timeline/range.ts";
import { ticksOf } from "../src/model/timeline/ticks.ts";

const SPAN = 1_000_000;
const range = (fromNs: number, toNs: number) => ({ fromNs, toNs });

test("zooming keeps what is under the pointer where it is", () => {
  const next = zoom(range(0, 100_000), 0.5, 25_000, SPAN);
  assert.deepEqual(next, range(12_500, 62_500));
  assert.equal((25_000 - next.fromNs) / (next.toNs - next.fromNs), 0.25);
});

test("nothing outside the window is shown, and nothing closer than can be looked at", () => {
  assert.deepEqual(within(range(-50, 950), SPAN), range(0, 1000));
  assert.deepEqual(within(range(999_900, 1_000_900), SPAN), range(999_000, SPAN));
  assert.deepEqual(zoom(range(0, SPAN), 10, 0, SPAN), range(0, SPAN));
  const closest = zoom(range(500, 700), 0.1, 600, SPAN);
  assert.equal(closest.toNs - closest.fromNs, 200);
});

test("panning moves by a part of what is seen and stops at the ends", () => {
  assert.deepEqual(pan(range(1000, 2000), 0.2, SPAN), range(1200, 2200));
  assert.deepEqual(pan(range(100, 1100), -0.2, SPAN), range(0, 1000));
});

test("what is revealed is brought to the middle only if it is not seen", () => {
  assert.deepEqual(reveal(range(0, 1000), 100, 200, SPAN), range(0, 1000));
  assert.deepEqual(reveal(range(0, 1000), 5000, 5200, SPAN), range(4600, 5600));
  assert.deepEqual(reveal(range(0, 1000), 5000, 15_000, SPAN), around(5000, 15_000, SPAN));
});

test("a bucket is one to two pixels wide", () => {
  for (const length of [300, 5000, 123_456, SPAN]) {
    const level = levelFor(range(0, length), 1000, 30);
    const px = 2 ** level / (length / 1000);
    assert.ok(level === 0 || (px >= 1 && px < 2), `${length}: ${px}`);
  }
  assert.equal(levelFor(range(0, SPAN), 10, 7), 7);
});

test("tiles of a range leave no part of it out", () => {
  const places = tilesOf(range(3000, 9000), 1, SPAN);
  assert.deepEqual(
    places.map(({ number }) => number),
    [1, 2, 3, 4],
  );
  assert.deepEqual(rangeOf({ level: 1, number: 1 }), range(2048, 4096));
  assert.deepEqual(above({ level: 1, number: 3 }), { level: 2, number: 1 });
  assert.deepEqual(tilesOf(range(0, SPAN), 10, SPAN), [{ level: 10, number: 0 }]);
});

test("ticks are round, apart, and counted from the step", () => {
  const ticks = ticksOf(range(9_000_000, 21_000_000), 10_000_000, 700);
  assert.deepEqual(
    ticks.map(({ label }) => label),
    ["0 ms", "2", "4", "6", "8", "10"],
  );
  assert.deepEqual(ticks.map(({ atNs }) => atNs)[1], 12_000_000);
  assert.equal(ticksOf(range(0, 3_000_000), 2_000_000, 700)[0]?.label, "\u22122");
});
