import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunsView, WindowRow } from "../src/api/types.ts";
import { addressInWorker, findShown, findWithoutWindows, runName, windowBeside, workerBeside } from "../src/model/runs/runs.ts";

const window = (name: string): WindowRow => ({ window: name, has_report: true, size_bytes: 1 });
const RUNS: RunsView = {
  logdir: "logs",
  tbprof_version: "1",
  skipped: [],
  without_windows: ["failed"],
  newest_run: "a",
  has_session: false,
  next_page: null,
  version: "",
  runs: [
    { run: "0", family: "0", workers: [{ worker: "h0", rank: 0, windows: [window("h0.0")] }] },
    {
      run: "a",
      family: "a",
      workers: [
        { worker: "h0", rank: 0, windows: [window("h0.1"), window("h0.2"), window("h0.3")] },
        { worker: "h1", rank: 1, windows: [window("h1.1"), window("h1.2")] },
      ],
    },
  ],
};
const ANY = { run: null, worker: null, window: null };

test("without names the newest run's first worker and its newest window are shown", () => {
  assert.equal(findShown(RUNS, ANY)?.window.window, "h0.3");
});

test("a name that is not there shows nothing, rather than something else", () => {
  assert.equal(findShown(RUNS, { ...ANY, run: "b" }), null);
  assert.equal(findShown(RUNS, { run: "a", worker: "h9", window: null }), null);
  assert.equal(findShown(RUNS, { run: "a", worker: "h0", window: "h0.9" }), null);
  assert.equal(findShown({ ...RUNS, runs: [], newest_run: null }, ANY), null);
});

test("a run that failed before its first window has nothing to show but that", () => {
  assert.equal(findWithoutWindows(RUNS, { run: "failed" }), "failed");
  assert.equal(findShown(RUNS, { ...ANY, run: "failed" }), null);
  assert.equal(findWithoutWindows(RUNS, { run: "a" }), null);
  assert.equal(findWithoutWindows(RUNS, { run: null }), null);
  assert.equal(findWithoutWindows({ ...RUNS, newest_run: "failed" }, { run: null }), "failed");
});

test("neighbors end at either end", () => {
  const shown = findShown(RUNS, { run: "a", worker: "h0", window: "h0.2" })!;
  assert.equal(windowBeside(shown, -1)?.window, "h0.1");
  assert.equal(windowBeside(shown, 2), null);
  assert.equal(workerBeside(shown, -1), null);
});

test("another rank shows its window of the same place in line, or its newest", () => {
  const second = findShown(RUNS, { run: "a", worker: "h0", window: "h0.2" })!;
  const third = findShown(RUNS, { run: "a", worker: "h0", window: "h0.3" })!;
  assert.deepEqual(workerBeside(second, 1), { run: "a", worker: "h1", window: "h1.2" });
  assert.deepEqual(addressInWorker(third, RUNS.runs[1]!.workers[1]!), { run: "a", worker: "h1", window: "h1.2" });
});

test("a run is called by its folder, that of the log directory too", () => {
  assert.equal(runName("exp/1", "/data/logs"), "exp/1");
  assert.equal(runName(".", "/data/logs/"), "logs");
  assert.equal(runName("", "C:\\logs"), "logs");
  assert.equal(runName(".", ""), ".");
});
