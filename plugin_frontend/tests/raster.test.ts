import assert from "node:assert/strict";
import { test } from "node:test";
import { Raster } from "../src/draw/timeline/raster.ts";

const ink = (...pixels: number[]) => ({ size: Math.sqrt(pixels.length), pixels: new Uint32Array(pixels) });

/** What a raster of 6 by 3 shows, row by row. */
function drawn(draw: (raster: Raster) => void, ratio = 1): string[] {
  const raster = new Raster(6, 3, ratio);
  draw(raster);
  return [0, 6, 12].map((at) => [...raster.pixels.subarray(at, at + 6)].join(""));
}

test("a rectangle lies on whole pixels", () => {
  assert.deepEqual(
    drawn((raster) => raster.fill(1.2, 1, 2.4, 2, ink(7))),
    ["000000", "077700", "077700"],
  );
});

test("nothing in sight is narrower or lower than a pixel", () => {
  assert.deepEqual(
    drawn((raster) => raster.fill(2, 1, 0.1, 0.1, ink(7))),
    ["000000", "007000", "000000"],
  );
});

test("what lies outside is left out", () => {
  assert.deepEqual(
    drawn((raster) => raster.fill(-5, -5, 7, 6, ink(7))),
    ["770000", "000000", "000000"],
  );
  assert.deepEqual(
    drawn((raster) => raster.fill(-9, 0, 2, 3, ink(7))),
    ["000000", "000000", "000000"],
  );
  assert.deepEqual(
    drawn((raster) => raster.fill(8, 0, 2, 3, ink(7))),
    ["000000", "000000", "000000"],
  );
});

test("a pattern goes on from bar to bar", () => {
  const both = (raster: Raster): void => {
    raster.fill(0, 0, 3, 3, ink(1, 2, 3, 4));
    raster.fill(3, 0, 3, 3, ink(1, 2, 3, 4));
  };
  assert.deepEqual(drawn(both), ["121212", "343434", "121212"]);
});

test("on a dense screen one CSS px is several", () => {
  assert.deepEqual(
    drawn((raster) => raster.fill(1, 0, 1, 1, ink(7)), 2),
    ["007700", "007700", "000000"],
  );
});

test("long rows are the same as short ones", () => {
  const raster = new Raster(100, 1, 1);
  raster.fill(10, 0, 60, 1, ink(7));
  assert.equal([...raster.pixels].filter((pixel) => pixel === 7).length, 60);
});
