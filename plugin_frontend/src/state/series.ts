// Windows side by side: asked for while their view is open, and again while any is being read.

import { computed, effect, signal } from "@preact/signals";
import { fetchRanks, fetchTrend } from "../api/routes.ts";
import type { RanksView, SeriesRow, TrendView } from "../api/types.ts";
import { failureOf, LOADING, type Loaded } from "./loaded.ts";
import { place } from "./place.ts";
import { shown } from "./runs.ts";
import { visible } from "./visibility.ts";

const POLL_INTERVAL_MS = 1_000;

export const ranks = signal<Loaded<RanksView>>(LOADING);
export const trend = signal<Loaded<TrendView>>(LOADING);

/** What the open view asks for, as one text; null where no such view is open. */
const asked = computed<string | null>(() => {
  if (shown.value === null) return null;
  const { run, worker, windowIndex } = shown.value;
  if (place.value.view === "ranks") return JSON.stringify({ run: run.run, number: windowIndex + 1 });
  return place.value.view === "trends" ? JSON.stringify({ run: run.run, worker: worker.worker, windows: worker.windows.length }) : null;
});

export function loadSeries(): () => void {
  return effect(() => {
    if (asked.value === null) return;
    const control = new AbortController();
    if (place.peek().view === "ranks") ranks.value = LOADING;
    else trend.value = LOADING;
    void load(control.signal);
    return () => control.abort();
  });
}

/** Asks again until every window has been read, or the signal ends it. */
async function load(signal: AbortSignal): Promise<void> {
  for (;;) {
    const rows = await loadOnce(signal);
    if (signal.aborted || !rows.some((row) => row.state === "reading")) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    while (!visible.peek() && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    if (signal.aborted) return;
  }
}

async function loadOnce(signal: AbortSignal): Promise<readonly SeriesRow[]> {
  const current = shown.peek();
  if (current === null) return [];
  const isRanks = place.peek().view === "ranks";
  try {
    if (isRanks) {
      const value = await fetchRanks(current.run.run, current.windowIndex + 1, signal);
      ranks.value = { kind: "there", value };
      return value.rows;
    }
    const value = await fetchTrend(current.run.run, current.worker.worker, signal);
    trend.value = { kind: "there", value };
    return value.rows;
  } catch (error) {
    if (!signal.aborted) (isRanks ? ranks : trend).value = failureOf(error);
    return [];
  }
}
