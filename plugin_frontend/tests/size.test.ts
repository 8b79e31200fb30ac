import assert from "node:assert/strict";
import { test } from "node:test";
import { formatSize, formatSizeIn, tableSizeUnit } from "../src/format/size.ts";

test("sizes are decimal", () => {
  assert.equal(formatSize(999), "999\u202fB");
  assert.equal(formatSize(9_600_000), "9.6\u202fMB");
  assert.equal(formatSize(2_500_000_000), "2.5\u202fGB");
});

test("a table has the unit of its largest row", () => {
  const unit = tableSizeUnit([24, 38_400_000]);
  assert.equal(unit, "MB");
  assert.equal(formatSizeIn(24, unit), "<0.1");
});
