// With which window another one is compared.

import type { RunsView } from "../api/types.ts";
import type { Place } from "./place.ts";
import { findShown, type Shown } from "./runs.ts";

/** How many windows there are in all. */
export function countWindows(runs: RunsView): number {
  return runs.runs.reduce((sum, run) => run.workers.reduce((inner, worker) => inner + worker.windows.length, sum), 0);
}

/**
 * The window that the address names; else the one before in line, the newest of another run, or any
 * other of the same run. Null where there is none.
 */
export function findBefore(runs: RunsView, shown: Shown, place: Pick<Place, "beforeRun" | "beforeWorker" | "beforeWindow">): Shown | null {
  if (place.beforeRun !== null) {
    return findShown(runs, { run: place.beforeRun, worker: place.beforeWorker, window: place.beforeWindow });
  }
  const { run, worker } = shown;
  const earlier = worker.windows[shown.windowIndex - 1];
  if (earlier !== undefined) return findShown(runs, { run: run.run, worker: worker.worker, window: earlier.window });
  const otherRun = runs.runs.find((row) => row.run !== run.run);
  if (otherRun !== undefined) return findShown(runs, { run: otherRun.run, worker: null, window: null });
  const otherWorker = run.workers.find((row) => row.worker !== worker.worker);
  if (otherWorker !== undefined) return findShown(runs, { run: run.run, worker: otherWorker.worker, window: null });
  const later = worker.windows[shown.windowIndex + 1];
  return later === undefined ? null : findShown(runs, { run: run.run, worker: worker.worker, window: later.window });
}
