import assert from "node:assert/strict";
import { test } from "node:test";
import { areaPath, mostOf, stepPath, valueAt, xOf, yOf } from "../src/model/charts/memoryCurve.ts";

const LINE = { from_ns: 100, to_ns: 200, at_ns: [100, 120, 150], low_bytes: [10, 40, 20], high_bytes: [10, 40, 20], reserved_bytes: [80, 80, 80] };
const SCALE = { width: 1000, height: 100, mostBytes: 80 };

test("a value holds until the next one, and the last one to the right edge", () => {
  assert.equal(stepPath(LINE, LINE.high_bytes, SCALE), "M0 87.5H200V50H500V75H1000");
  assert.equal(areaPath(LINE, LINE.high_bytes, SCALE), "M0 87.5H200V50H500V75H1000V100H0Z");
  assert.equal(areaPath(LINE, [], SCALE), "");
});

test("the top lies above all that is drawn, and an empty curve has one, too", () => {
  assert.equal(Math.round(mostOf(LINE)), 92);
  assert.equal(mostOf({ ...LINE, high_bytes: [0], reserved_bytes: null }), 1.15);
});

test("instants outside the part lie on its edges", () => {
  assert.deepEqual(
    [50, 100, 150, 250].map((ns) => xOf(LINE, ns, SCALE)),
    [0, 0, 500, 1000],
  );
  assert.equal(yOf(80, SCALE), 0);
});

test("the value at an instant is the last one that began", () => {
  assert.deepEqual(
    [90, 100, 119, 120, 149, 150, 999].map((ns) => valueAt(LINE, ns)),
    [0, 0, 0, 1, 1, 2, 2],
  );
});
