import assert from "node:assert/strict";
import { test } from "node:test";
import { formatGigabytes, formatSpeed } from "../src/format/speed.ts";

test("fast copies have one decimal, slow ones two", () => {
  assert.equal(formatGigabytes(11.8e9), "11.8");
  assert.equal(formatGigabytes(0.042e9), "0.04");
  assert.equal(formatGigabytes(3e6), "<0.01");
  assert.equal(formatGigabytes(0), "0");
});

test("a speed that is not known is none", () => {
  assert.equal(formatSpeed(null), "—");
  assert.equal(formatSpeed(2e9), "2.0\u202fGB/s");
});
