import assert from "node:assert/strict";
import { test } from "node:test";
import { formatLimit } from "../src/format/saving.ts";

test("an upper limit has one sign for being a limit", () => {
  assert.equal(formatLimit(29_800, "ms"), "≤ 29.8");
  assert.equal(formatLimit(20, "ms"), "<0.1");
});
