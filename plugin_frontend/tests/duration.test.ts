import assert from "node:assert/strict";
import { test } from "node:test";
import { differenceUnit, formatDuration, formatDurationIn, formatElapsed, tableUnit } from "../src/format/duration.ts";

test("a lone duration picks its unit", () => {
  assert.equal(formatDuration(15.2), "15\u202fµs");
  assert.equal(formatDuration(0.4), "<1\u202fµs");
  assert.equal(formatDuration(100), "0.1\u202fms");
  assert.equal(formatDuration(55_340), "55.3\u202fms");
  assert.equal(formatDuration(1_211_400), "1,211\u202fms");
  assert.equal(formatDuration(12_340_000), "12.3\u202fs");
});

test("no duration is not a short one", () => {
  assert.equal(formatDuration(null), "not recorded");
  assert.equal(formatDuration(0), "0\u202fms");
});

test("a table has the unit of its longest row", () => {
  assert.equal(tableUnit([3, 60_000]), "ms");
  assert.equal(tableUnit([3, 600]), "µs");
  assert.equal(tableUnit([3, 60_000_000]), "s");
  assert.equal(tableUnit([]), "µs");
});

test("short rows of a long table are small, not zero", () => {
  assert.equal(formatDurationIn(3, "ms"), "<0.1");
  assert.equal(formatDurationIn(0, "ms"), "0");
  assert.equal(formatDurationIn(1_500, "µs"), "1,500");
});

test("elapsed time is read in minutes and seconds", () => {
  assert.equal(formatElapsed(3.42), "3.4\u202fs");
  assert.equal(formatElapsed(125.9), "2\u202fmin 5\u202fs");
});

test("figures that are told apart have a finer unit", () => {
  assert.equal(differenceUnit([1_000, 928]), "µs");
  assert.equal(differenceUnit([928, 55_000]), "ms");
  assert.equal(differenceUnit([58_000, 12_900_000]), "ms");
});
