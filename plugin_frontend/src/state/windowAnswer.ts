// The answer for the window shown: asked for once, or until its trace has been read.

import { computed } from "@preact/signals";
import { fetchWindow, type WindowAddress } from "../api/routes.ts";
import type { WindowAnswer, WindowView } from "../api/types.ts";
import { ask } from "./loading/ask.ts";
import { revision, shownAddress } from "./runs/runs.ts";

const POLL_INTERVAL_MS = 500;
const PATIENCE_MS = 300;

export const {
  answer: windowAnswer,
  start: loadShownWindow,
  retry: retryWindow,
} = ask<WindowAnswer>(shownAddress, (address, signal) => fetchWindow(JSON.parse(address) as WindowAddress, signal), {
  revision,
  poll: { everyMs: POLL_INTERVAL_MS, unfinished: ({ state }) => state === "reading" },
  patienceMs: PATIENCE_MS,
});

/** The window, once it is there to be shown. */
export const windowView = computed<WindowView | null>(() => (windowAnswer.value.kind === "there" ? windowAnswer.value.value.window : null));

/** Else the whole window counts as one step, and is not called one. */
export const marksSteps = computed<boolean>(() => windowView.value?.marks_steps ?? true);
