import assert from "node:assert/strict";
import { test } from "node:test";
import type { SavingView } from "../src/api/types.ts";
import { formatGain, formatLimit } from "../src/format/saving.ts";

const ESTIMATED: SavingView = { floor_us: 200, estimate_us: 10_100, ceiling_us: 12_700 };
const LIMITED: SavingView = { ...ESTIMATED, estimate_us: null };

test("an upper limit has one sign for being a limit", () => {
  assert.equal(formatLimit(29_800, "ms"), "≤ 29.8");
  assert.equal(formatLimit(20, "ms"), "<0.1");
});

test("a gain says what it is counted in", () => {
  assert.equal(formatGain({ saving: ESTIMATED, number: 1, is_joint: false }, true), "saves 10.1\u202fms a step");
  assert.equal(formatGain({ saving: ESTIMATED, number: 2, is_joint: false }, true), "adds 10.1\u202fms a step");
  assert.equal(formatGain({ saving: LIMITED, number: 1, is_joint: false }, false), "at most 12.7\u202fms in the window");
  assert.equal(formatGain({ saving: null, number: 1, is_joint: false }, true), "");
});

test("a gain that several findings share says so", () => {
  assert.equal(formatGain({ saving: ESTIMATED, number: 1, is_joint: true }, true), "saves 10.1\u202fms a step, all lines of it together");
});
