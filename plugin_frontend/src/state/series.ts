// Windows side by side: asked for while their view is open, and again while any is being read.

import { computed } from "@preact/signals";
import { fetchRanks, fetchTrend } from "../api/routes.ts";
import type { RanksView, SeriesRow, TrendView } from "../api/types.ts";
import { ask } from "./ask.ts";
import { place } from "./place.ts";
import { shown } from "./runs.ts";

const poll = { everyMs: 1_000, unfinished: ({ rows }: { rows: readonly SeriesRow[] }): boolean => rows.some((row) => row.state === "reading") };

const askedRanks = computed<string | null>(() =>
  shown.value === null || place.value.view !== "ranks" ? null : JSON.stringify([shown.value.run.run, shown.value.windowIndex + 1]),
);

/** How many windows there are is part of the question: a new one changes the answer. */
const askedTrend = computed<string | null>(() => {
  if (shown.value === null || place.value.view !== "trends") return null;
  const { run, worker } = shown.value;
  return JSON.stringify([run.run, worker.worker, worker.windows.length]);
});

export const { answer: ranks, start: loadRanks } = ask<RanksView>(
  askedRanks,
  (key, signal) => {
    const [run, number] = JSON.parse(key) as [string, number];
    return fetchRanks(run, number, signal);
  },
  { poll },
);

export const { answer: trend, start: loadTrend } = ask<TrendView>(
  askedTrend,
  (key, signal) => {
    const [run, worker] = JSON.parse(key) as [string, string, number];
    return fetchTrend(run, worker, signal);
  },
  { poll },
);
