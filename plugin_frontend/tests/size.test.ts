import assert from "node:assert/strict";
import { test } from "node:test";
import { formatSize, formatSizeIn } from "../src/format/size.ts";

test("sizes are decimal", () => {
  assert.equal(formatSize(999), "999\u202fB");
  assert.equal(formatSize(9_600_000), "9.6\u202fMB");
  assert.equal(formatSize(2_500_000_000), "2.5\u202fGB");
});

test("a little of a large unit is not nothing", () => {
  assert.equal(formatSizeIn(24, "MB"), "<0.1");
});
