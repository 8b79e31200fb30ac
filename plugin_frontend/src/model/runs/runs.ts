// Which window a place means among the runs there are, and its neighbors.

import type { RunRow, RunsView, WindowRow, WorkerRow } from "../../api/types.ts";
import { splitPath } from "../../format/place.ts";
import type { Place } from "../place.ts";

/** The rows that the pickers show, with where they are in their lists. */
export interface Shown {
  run: RunRow;
  worker: WorkerRow;
  workerIndex: number;
  window: WindowRow;
  windowIndex: number;
}

type Address = Pick<Place, "run" | "worker" | "window">;

/** The named window; without names the newest run's first worker and its newest window. */
export function findShown(runs: RunsView, place: Address): Shown | null {
  const name = place.run ?? runs.newest_run;
  const run = runs.runs.find((row) => row.run === name);
  if (run === undefined) return null;
  const workerIndex = place.worker === null ? 0 : run.workers.findIndex((row) => row.worker === place.worker);
  const worker = run.workers[workerIndex];
  if (worker === undefined) return null;
  const windowIndex = place.window === null ? worker.windows.length - 1 : worker.windows.findIndex((row) => row.window === place.window);
  const window = worker.windows[windowIndex];
  return window === undefined ? null : { run, worker, workerIndex, window, windowIndex };
}

/** The run that is meant, where it failed before it had a window; null for any other. */
export function findWithoutWindows(runs: RunsView, place: Pick<Place, "run">): string | null {
  const name = place.run ?? runs.newest_run;
  return name !== null && runs.without_windows.includes(name) ? name : null;
}

/** The window `steps` further on, or null past either end. */
export function windowBeside(shown: Shown, steps: number): WindowRow | null {
  return shown.worker.windows[shown.windowIndex + steps] ?? null;
}

/** The worker `steps` further on with its window of the same place in line, or its newest. */
export function workerBeside(shown: Shown, steps: number): Address | null {
  const worker = shown.run.workers[shown.workerIndex + steps];
  return worker === undefined ? null : addressInWorker(shown, worker);
}

/** Where picking `worker` leads: ranks record together, so windows match by their place in line. */
export function addressInWorker(shown: Shown, worker: WorkerRow): Address {
  const window = worker.windows[shown.windowIndex] ?? worker.windows.at(-1);
  return { run: shown.run.run, worker: worker.worker, window: window?.window ?? null };
}

/** How a run is called: what lies in the log directory itself has that folder's name. */
export function runName(run: string, logdir: string): string {
  return run === "" || run === "." ? splitPath(logdir.replace(/[/\\]+$/, "")).name || "." : run;
}

/** How a worker is called in the picker: its rank where it has one. */
export function workerName(worker: WorkerRow): string {
  return worker.rank === null ? worker.worker : String(worker.rank);
}
