// The checks of the window shown, asked for when their view is opened.

import { computed } from "@preact/signals";
import { fetchChecks } from "../api/checks.ts";
import type { WindowAddress } from "../api/routes.ts";
import type { ChecksView } from "../api/types.ts";
import { ask } from "./loading/ask.ts";
import { place } from "./place.ts";
import { revision } from "./runs/runs.ts";
import { windowView } from "./windowAnswer.ts";

const asked = computed<string | null>(() => {
  const view = windowView.value;
  if (view === null || place.value.view !== "checks") return null;
  return JSON.stringify({ run: view.run, worker: view.worker, window: view.window } satisfies WindowAddress);
});

export const { answer: checksAnswer, start: loadChecks } = ask<ChecksView>(
  asked,
  (address, signal) => fetchChecks(JSON.parse(address) as WindowAddress, signal),
  { revision, keep: true },
);
