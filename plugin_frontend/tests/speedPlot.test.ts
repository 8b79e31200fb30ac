import assert from "node:assert/strict";
import { test } from "node:test";
import { layOutSpeeds } from "../src/model/charts/speedPlot.ts";
import { siteRow } from "./rows.ts";

test("marks lie on whole powers of ten", () => {
  const layout = layOutSpeeds([siteRow({ index: 0, bytes: 2000, count: 2, bytes_per_s: 1e9 }), siteRow({ index: 1, bytes: 1e6, count: 1, bytes_per_s: 1e10 })]);
  assert.deepEqual(layout?.sizes, { first: 3, last: 6 });
  assert.deepEqual(layout?.speeds, { first: 9, last: 10 });
  assert.deepEqual(
    layout?.marks.map(({ x, y }) => [x, y]),
    [
      [0, 0],
      [1, 1],
    ],
  );
});

test("a single size still has an axis", () => {
  const layout = layOutSpeeds([siteRow({ bytes: 1000, count: 1, bytes_per_s: 1e9 })]);
  assert.deepEqual(layout?.sizes, { first: 3, last: 4 });
});

test("copies without a time or a size have no mark", () => {
  assert.equal(layOutSpeeds([siteRow({ bytes_per_s: null }), siteRow({ bytes: 0, bytes_per_s: 1 })]), null);
});
