// The window that the shown one is compared with, and what is different.

import { computed } from "@preact/signals";
import { fetchComparison, type WindowAddress } from "../../api/routes.ts";
import type { CompareAnswer } from "../../api/types.ts";
import { findBefore } from "../../model/runs/comparing.ts";
import { ask } from "../loading/ask.ts";
import { place } from "../place.ts";
import { revision, runs, shown, shownAddress } from "../runs/runs.ts";

const POLL_INTERVAL_MS = 1_000;

/** The window before, as picked or as one would expect; null where there is only one window. */
export const before = computed(() => (runs.value.kind === "there" && shown.value !== null ? findBefore(runs.value.value, shown.value, place.value) : null));

/** Both windows; null where the view is closed. */
const asked = computed<string | null>(() => {
  if (place.value.view !== "compare" || shownAddress.value === null || before.value === null) return null;
  const { run, worker, window } = before.value;
  const other: WindowAddress = { run: run.run, worker: worker.worker, window: window.window };
  return JSON.stringify([other, JSON.parse(shownAddress.value)]);
});

export const { answer: comparison, start: loadComparison } = ask<CompareAnswer>(
  asked,
  (windows, signal) => {
    const [first, second] = JSON.parse(windows) as [WindowAddress, WindowAddress];
    return fetchComparison(first, second, signal);
  },
  { revision, poll: { everyMs: POLL_INTERVAL_MS, unfinished: ({ state }) => state === "reading" } },
);
