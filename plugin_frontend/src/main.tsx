// The module that TensorBoard's page imports; `render` is its whole interface.

import { effect } from "@preact/signals";
import { render as mount } from "preact";
import { embedded } from "./api/embedded.ts";
import { hostWindow, listenToReloads } from "./api/host.ts";
import { loadComparison } from "./state/compare/comparison.ts";
import { watchVisibility } from "./state/loading/visibility.ts";
import { loadManualPage } from "./state/manual.ts";
import { followAddress } from "./state/place.ts";
import { loadJob } from "./state/runs/job.ts";
import { followChanges, pinShown, refreshRuns, shown } from "./state/runs/runs.ts";
import { loadRanks, loadTrends } from "./state/runs/series.ts";
import { loadRulePage } from "./state/sites/rulePage.ts";
import { loadSource } from "./state/source/source.ts";
import { loadShownWindow } from "./state/windowAnswer.ts";
import { adoptStyle } from "./theme/style.ts";
import { followTheme } from "./theme/theme.ts";
import { App } from "./views/frame/App.tsx";

/** Draws the tab into the page and starts everything that keeps it up to date. */
export function render(): void {
  document.documentElement.lang = "en";
  adoptStyle();
  followTheme(hostWindow());
  followAddress();
  watchVisibility();
  // What the files of a window are is asked before anything that is read from them.
  for (const start of [pinShown, followChanges, loadShownWindow, loadRulePage, loadManualPage, loadJob, loadRanks, loadTrends, loadComparison, loadSource])
    start();
  effect(() => {
    document.title = shown.value === null ? "tbprof" : `${shown.value.run.run} · tbprof`;
  });
  listenToReloads(() => void refreshRuns());
  void refreshRuns();
  mount(<App />, document.body);
}

// A page that carries its window has nobody to call it.
if (embedded !== null) render();
