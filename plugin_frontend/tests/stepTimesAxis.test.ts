import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepTimes } from "../src/api/types.ts";
import { alongSteps, stepAxis } from "../src/model/charts/stepTimesAxis.ts";

const times = (...steps: number[]): StepTimes => ({ steps_us: steps, middle_us: steps[0]!, low_us: null, high_us: null, text: "" });
const compared = (before: StepTimes, after: StepTimes) => ({ is_unprofiled: false, before, after, text: "" });

test("every figure of both sides is on the axis, with room beside it", () => {
  const axis = stepAxis(compared(times(100, 150), { ...times(180), low_us: 170, high_us: 200 }));
  assert.deepEqual(axis, { low: 94, high: 206 });
  assert.equal(alongSteps(axis, 150), 0.5);
});

test("one length alone stands in the middle", () => {
  assert.equal(alongSteps(stepAxis(compared(times(100), times(100))), 100), 0.5);
});

test("no axis begins below nothing", () => {
  assert.equal(stepAxis(compared(times(1), times(1000))).low, 0);
});
