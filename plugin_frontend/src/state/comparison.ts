// The window that the shown one is compared with, and what is different.

import { computed, effect, signal } from "@preact/signals";
import { fetchComparison, type WindowAddress } from "../api/routes.ts";
import type { CompareAnswer } from "../api/types.ts";
import { findBefore } from "../model/comparing.ts";
import { failureOf, LOADING, type Loaded } from "./loaded.ts";
import { place } from "./place.ts";
import { runs, shown } from "./runs.ts";

const POLL_INTERVAL_MS = 1_000;

export const comparison = signal<Loaded<CompareAnswer>>(LOADING);

/** The window before, as picked or as one would expect; null where there is only one window. */
export const before = computed(() =>
  runs.value.kind === "there" && shown.value !== null ? findBefore(runs.value.value, shown.value, place.value) : null,
);

/** Both windows as one text, so that a refreshed list asks nothing anew; null where the view is closed. */
const asked = computed<string | null>(() => {
  if (place.value.view !== "compare" || shown.value === null || before.value === null) return null;
  const { run, worker, window } = shown.value;
  const after: WindowAddress = { run: run.run, worker: worker.worker, window: window.window };
  const { run: otherRun, worker: otherWorker, window: otherWindow } = before.value;
  return JSON.stringify([{ run: otherRun.run, worker: otherWorker.worker, window: otherWindow.window }, after]);
});

export function loadComparison(): () => void {
  return effect(() => {
    if (asked.value === null) return;
    const control = new AbortController();
    comparison.value = LOADING;
    void load(asked.value, control.signal);
    return () => control.abort();
  });
}

/** Asks again until both windows have been read, or the signal ends it. */
async function load(windows: string, signal: AbortSignal): Promise<void> {
  const [first, second] = JSON.parse(windows) as [WindowAddress, WindowAddress];
  for (;;) {
    try {
      const value = await fetchComparison(first, second, signal);
      comparison.value = { kind: "there", value };
      if (value.state !== "reading") return;
    } catch (error) {
      if (!signal.aborted) comparison.value = failureOf(error);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    if (signal.aborted) return;
  }
}
