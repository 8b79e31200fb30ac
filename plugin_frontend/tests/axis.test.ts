import assert from "node:assert/strict";
import { test } from "node:test";
import { axisTicks, ticksBetween } from "../src/model/charts/axis.ts";

test("ticks are round and stay on the axis", () => {
  assert.deepEqual(axisTicks(55.3), [0, 10, 20, 30, 40, 50]);
  assert.deepEqual(axisTicks(0.9), [0, 0.2, 0.4, 0.6, 0.8]);
  assert.deepEqual(axisTicks(1211), [0, 500, 1000]);
});

test("a figure at the very end would stick out", () => {
  assert.deepEqual(axisTicks(60), [0, 10, 20, 30, 40, 50]);
});

test("an axis of no length has its zero", () => {
  assert.deepEqual(axisTicks(0), [0]);
  assert.deepEqual(axisTicks(Number.NaN), [0]);
});

test("an axis that begins elsewhere has only the figures on it", () => {
  assert.deepEqual(ticksBetween(43.9, 60), [45, 50, 55, 60]);
  assert.deepEqual(ticksBetween(0.41, 0.42), [0.41, 0.412, 0.414, 0.416, 0.418, 0.42]);
});
