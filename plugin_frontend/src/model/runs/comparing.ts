// With which window another one is compared.

import type { RunRow, RunsView } from "../../api/types.ts";
import type { Place } from "../place.ts";
import { findShown, type Shown } from "./runs.ts";

/** How many windows there are in all. */
export function countWindows(runs: RunsView): number {
  return runs.runs.reduce((sum, run) => run.workers.reduce((inner, worker) => inner + worker.windows.length, sum), 0);
}

/**
 * The window that the address names; else one that is alike: the one before in line, the newest of the
 * run before of the same family, or any other of the same run. Null where none is: a comparison with
 * another program says nothing, so nobody but the reader picks one.
 */
export function findBefore(runs: RunsView, shown: Shown, place: Pick<Place, "beforeRun" | "beforeWorker" | "beforeWindow">): Shown | null {
  if (place.beforeRun !== null) {
    return findShown(runs, { run: place.beforeRun, worker: place.beforeWorker, window: place.beforeWindow });
  }
  const { run, worker } = shown;
  const earlier = worker.windows[shown.windowIndex - 1];
  if (earlier !== undefined) return findShown(runs, { run: run.run, worker: worker.worker, window: earlier.window });
  const alike = runAlike(runs, run);
  if (alike !== null) return findShown(runs, { run: alike, worker: null, window: null });
  const otherWorker = run.workers.find((row) => row.worker !== worker.worker);
  if (otherWorker !== undefined) return findShown(runs, { run: run.run, worker: otherWorker.worker, window: null });
  const later = worker.windows[shown.windowIndex + 1];
  return later === undefined ? null : findShown(runs, { run: run.run, worker: worker.worker, window: later.window });
}

/** The run before of the same family, else the one after. */
function runAlike(runs: RunsView, { run, family }: RunRow): string | null {
  const alike = runs.runs.filter((row) => row.family === family).map((row) => row.run);
  // The list is by letters, in which run10 comes before run9.
  alike.sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
  const at = alike.indexOf(run);
  return alike[at - 1] ?? alike[at + 1] ?? null;
}
