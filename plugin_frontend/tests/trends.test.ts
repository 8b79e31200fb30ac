import assert from "node:assert/strict";
import { test } from "node:test";
import type { SeriesRow, WindowFigures } from "../src/api/types.ts";
import { alongAxis, layOutTrends, listedMetrics, metricsOf } from "../src/model/charts/trends.ts";

const NOTHING: WindowFigures = {
  rank: null,
  steps: 5,
  first_step: null,
  step_us: null,
  unprofiled_step_us: null,
  communication_us: null,
  idle_share: null,
  causes: [],
  sync_points: 0,
  wait_us: 0,
  gpu_lag_us: null,
  uploaded_bytes: 0,
  could_save_us: null,
  utilization: null,
  sm_efficiency: null,
  occupancy: null,
  world_size: null,
  git_commit: null,
  is_damaged: false,
  plan: null,
};

function trendRow(number: number, figures: Partial<WindowFigures> | null): SeriesRow {
  const window = { worker: "w", rank: null, window: `w.${number}`, number, problem: "" };
  return { ...window, state: figures === null ? "broken" : "ready", figures: figures === null ? null : { ...NOTHING, ...figures } };
}

const keys = (rows: readonly SeriesRow[]): string[] => metricsOf(rows).map(({ key }) => key);

test("figures are those that some window has, and of a run without a GPU the step alone", () => {
  assert.deepEqual(keys([trendRow(1, { step_us: 10 }), trendRow(2, null)]), ["step"]);
  const causes = [{ cause: "data", name: "Waiting for data", idle_us: 4 }];
  assert.deepEqual(keys([trendRow(1, { step_us: 10, idle_share: 0.4, wait_us: 1, causes })]), ["step", "idle", "wait", "idle-data"]);
});

test("the list has a cause of idle only while that is drawn", () => {
  const metrics = metricsOf([trendRow(1, { idle_share: 0.4, causes: [{ cause: "data", name: "Data", idle_us: 4 }] })]);
  const [step, , data] = metrics;
  assert.ok(step !== undefined && data !== undefined);
  assert.deepEqual(listedMetrics(metrics, step), metrics.slice(0, 2));
  assert.deepEqual(listedMetrics(metrics, data), metrics);
});

test("windows stand by step where all know theirs, else in their order", () => {
  const known = [trendRow(1, { step_us: 20, first_step: 10 }), trendRow(2, null), trendRow(3, { step_us: 30, first_step: 110 })];
  const [step] = metricsOf(known);
  assert.ok(step !== undefined);
  const bySteps = layOutTrends([known], step);
  assert.deepEqual([bySteps.axis, bySteps.low, bySteps.high, bySteps.most], ["step", 10, 110, 30]);
  assert.deepEqual(
    bySteps.series[0]?.map(({ x, value }) => [x, value]),
    [
      [10, 20],
      [110, 30],
    ],
  );
  assert.equal(alongAxis(bySteps, 60), 0.5);
  const byWindows = layOutTrends([known, [trendRow(1, { step_us: 40 })]], step);
  assert.deepEqual([byWindows.axis, byWindows.low, byWindows.high, byWindows.most], ["window", 1, 3, 40]);
});
