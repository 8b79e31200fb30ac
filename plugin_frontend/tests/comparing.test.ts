import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunsView } from "../src/api/types.ts";
import { START } from "../src/model/place.ts";
import { countWindows, findBefore } from "../src/model/runs/comparing.ts";
import { findShown } from "../src/model/runs/runs.ts";

const window = (name: string) => ({ window: name, has_report: true, size_bytes: 1 });
const RUNS: RunsView = {
  logdir: "logs",
  tbprof_version: "0",
  without_windows: [],
  newest_run: "b",
  has_session: false,
  next_page: null,
  version: "",
  skipped: [],
  runs: [
    { run: "a", family: "a", workers: [{ worker: "w", rank: null, windows: [window("1"), window("2")] }] },
    { run: "b", family: "b", workers: [{ worker: "w", rank: null, windows: [window("1")] }] },
  ],
};
const before = (run: string, name: string, place = START): string => {
  const found = findBefore(RUNS, findShown(RUNS, { run, worker: "w", window: name })!, place);
  return found === null ? "none" : `${found.run.run}/${found.window.window}`;
};

test("a window is compared with the one before it, else with another of its run", () => {
  assert.equal(before("a", "2"), "a/1");
  assert.equal(before("a", "1"), "a/2");
});

test("else with the run before of the same family, and with no other", () => {
  const named = (...names: string[]): RunsView => ({
    ...RUNS,
    runs: names.map((run) => ({ run, family: run.replace(/[0-9]+/, "#"), workers: [{ worker: "w", rank: null, windows: [window("1")] }] })),
  });
  const found = (runs: RunsView, run: string): string | null => findBefore(runs, findShown(runs, { run, worker: "w", window: "1" })!, START)?.run.run ?? null;
  const runs = named("bert", "resnet/nw0", "resnet/nw2", "resnet/nw4", "sweep/nw2");
  assert.equal(found(runs, "resnet/nw4"), "resnet/nw2");
  assert.equal(found(runs, "resnet/nw0"), "resnet/nw2");
  assert.equal(found(named("run1", "run10", "run9"), "run10"), "run9");
  assert.equal(found(runs, "bert"), null);
  assert.equal(found(runs, "sweep/nw2"), null);
});

test("what the address names comes first", () => {
  assert.equal(before("a", "2", { ...START, beforeRun: "b" }), "b/1");
  assert.equal(before("a", "2", { ...START, beforeRun: "gone" }), "none");
});

test("all windows count", () => {
  assert.equal(countWindows(RUNS), 3);
});
