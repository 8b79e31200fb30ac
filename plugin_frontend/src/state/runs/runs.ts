// The runs of the log directory, and which of their windows is shown.

import { batch, computed, effect, signal } from "@preact/signals";
import { embedded } from "../../api/embedded.ts";
import { fetchRuns, fetchVersion, type WindowAddress } from "../../api/routes.ts";
import { carriesTables } from "../../api/tables.ts";
import { aboutCarried } from "../../api/timeline.ts";
import type { RunsView, WindowRow } from "../../api/types.ts";
import { NOWHERE, type Place } from "../../model/place.ts";
import { countWindows } from "../../model/runs/comparing.ts";
import { watchContents } from "../../model/runs/contents.ts";
import { findShown, findWithoutWindows, runName, windowBeside, workerBeside } from "../../model/runs/runs.ts";
import { type ViewName, viewsFor } from "../../model/views.ts";
import { failureOf, LOADING, type Loaded } from "../loading/loaded.ts";
import { visible } from "../loading/visibility.ts";
import { announce } from "../notice.ts";
import { adjust, place, visit } from "../place.ts";

const CHANGES_INTERVAL_MS = 1_000;
/** After so long a file that changed, and is still the same, is not being written any more. */
const REST_MS = 500;

/** What belongs to one window, and is closed when there is another. */
const NOWHERE_IN_WINDOW = { ...NOWHERE, site: null, rule: null, line: null };

export const runs = signal<Loaded<RunsView>>(LOADING);

/** The rows of the window shown; null while there is none, or none of the name in the address. */
export const shown = computed(() => (runs.value.kind === "there" ? findShown(runs.value.value, place.value) : null));

/** The run shown where it failed before it had a window; null otherwise. */
export const withoutWindows = computed(() => (runs.value.kind === "there" ? findWithoutWindows(runs.value.value, place.value) : null));

/** How a run of this log directory is called. */
export function nameOfRun(run: string): string {
  return runName(run, runs.value.kind === "there" ? runs.value.value.logdir : "");
}

/** Its address as one text, so that a refreshed list of the same windows asks nothing again. */
export const shownAddress = computed<string | null>(() => {
  if (shown.value === null) return null;
  const { run, worker, window } = shown.value;
  return JSON.stringify({ run: run.run, worker: worker.worker, window: window.window } satisfies WindowAddress);
});

/** Rises when the files of the window shown have changed: what was loaded of it before is of others. */
export const revision = signal(0);

/** The views that the shown window has. */
export const views = computed<ViewName[]>(() =>
  viewsFor({
    hasServer: embedded === null,
    hasTimeline: shownAddress.value !== null && aboutCarried(JSON.parse(shownAddress.value) as WindowAddress) !== "",
    hasTables: shownAddress.value !== null && carriesTables(JSON.parse(shownAddress.value) as WindowAddress),
    workers: shown.value?.run.workers.length ?? 1,
    windows: shown.value?.worker.windows.length ?? 1,
    allWindows: runs.value.kind === "there" ? countWindows(runs.value.value) : 1,
    runs: runs.value.kind === "there" ? runs.value.value.runs.length : 1,
    hasSession: runs.value.kind === "there" && runs.value.value.has_session,
  }),
);

/** The view that the address names; of one that the run has not, what it has. */
export const shownView = computed<ViewName>(() => (views.value.includes(place.value.view) ? place.value.view : "overview"));

/** Windows of the shown worker that were there when its window was opened. */
const seenWindows = signal<{ worker: string; windows: ReadonlySet<string> }>({ worker: "", windows: new Set() });

/** Windows that came since; they are announced and never opened by themselves. */
export const newWindows = computed<WindowRow[]>(() => {
  if (shown.value === null || seenWindows.value.worker !== workerKey()) return [];
  return shown.value.worker.windows.filter((row) => !seenWindows.value.windows.has(row.window));
});

let request: AbortController | null = null;

/** Asks for the runs again; what is shown stays until the answer is there. */
export async function refreshRuns(): Promise<void> {
  request?.abort();
  const { signal } = (request = new AbortController());
  try {
    const value = await fetchRuns(signal);
    runs.value = { kind: "there", value };
  } catch (error) {
    if (signal.aborted) return;
    if (runs.peek().kind !== "there") runs.value = failureOf(error);
  }
}

/** Writes the default window into the address, so that later windows can't move what is read. */
export function pinShown(): () => void {
  return effect(() => {
    if (withoutWindows.value !== null && place.peek().run === null) adjust({ run: withoutWindows.value });
    if (shown.value === null) return;
    const { run, worker, window } = shown.value;
    const { run: named, worker: namedWorker, window: namedWindow } = place.peek();
    if (named === null || namedWorker === null || namedWindow === null) {
      adjust({ run: run.run, worker: worker.worker, window: window.window });
    }
    if (seenWindows.peek().worker !== workerKey()) markWindowsSeen();
  });
}

/**
 * Looks each second, while the tab is seen, whether windows came or went, and asks for the runs where they did;
 * and whether the files of the window shown have changed.
 */
export function followChanges(): () => void {
  let known: string | null = null;
  const watch = watchContents();
  return effect(() => {
    const address = shownAddress.value;
    if (!visible.value || embedded !== null) return;
    const control = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      let waitMs = CHANGES_INTERVAL_MS;
      try {
        const { version, content } = await fetchVersion(address === null ? null : (JSON.parse(address) as WindowAddress), control.signal);
        if (known !== null && version !== known) void refreshRuns();
        known = version;
        const found = address === null ? "same" : watch(address, content);
        if (found === "changing") waitMs = REST_MS;
        if (found === "changed") loadAnew();
      } catch {
        // The server may be starting anew, and answers the next time.
      }
      if (!control.signal.aborted) timer = setTimeout(() => void look(), waitMs);
    };
    void look();
    return () => {
      control.abort();
      clearTimeout(timer);
    };
  });
}

/** The open site, and where one is in the window, belong to the old files. */
function loadAnew(): void {
  const isInWindow = place.peek().view !== "fleet";
  batch(() => {
    revision.value += 1;
    if (isInWindow) adjust(NOWHERE_IN_WINDOW);
  });
  if (isInWindow) announce("The window's file has changed: it is loaded anew");
}

function markWindowsSeen(): void {
  const windows = new Set(shown.peek()?.worker.windows.map((row) => row.window));
  seenWindows.value = { worker: workerKey(), windows };
}

/** Opens the window `steps` further on; stays where there is none. */
export function visitWindowBeside(steps: number): void {
  const current = shown.peek();
  const beside = current === null ? null : windowBeside(current, steps);
  if (beside !== null) visitWindow({ window: beside.window });
}

/** Opens the worker `steps` further on; stays where there is none. */
export function visitWorkerBeside(steps: number): void {
  const current = shown.peek();
  const beside = current === null ? null : workerBeside(current, steps);
  if (beside !== null) visitWindow(beside);
}

/** Opens another window; the open site belongs to the old one and is closed. */
export function visitWindow(address: Partial<Pick<Place, "run" | "worker" | "window" | "filter">>): void {
  visit({ ...address, ...NOWHERE_IN_WINDOW });
  markWindowsSeen();
}

function workerKey(): string {
  const current = shown.peek();
  return current === null ? "" : `${current.run.run}\n${current.worker.worker}`;
}
