// The timeline of the window shown: what it holds, the step that is looked at, and what is selected.

import { computed, effect } from "@preact/signals";
import type { WindowAddress } from "../../api/routes.ts";
import { aboutCarried, fetchSelection, fetchTimeline, fetchTimelineStep } from "../../api/timeline.ts";
import type { SelectionView, TimelineAnswer, TimelineStep, TimelineView } from "../../api/types.ts";
import { parseSelected, printSelected, type Selected } from "../../model/timeline/selected.ts";
import { ask } from "../loading/ask.ts";
import { adjust, place } from "../place.ts";
import { revision, shownAddress } from "../runs/runs.ts";
import { windowView } from "../windowAnswer.ts";

const POLL_INTERVAL_MS = 500;
/** The step before, and its selection, stay so long. */
const PATIENCE_MS = 300;

export const { answer: timelineAnswer, start: loadAnswer } = ask<TimelineAnswer>(
  shownAddress,
  (address, signal) => fetchTimeline(JSON.parse(address) as WindowAddress, signal),
  { revision, poll: { everyMs: POLL_INTERVAL_MS, unfinished: ({ state }) => state === "reading" } },
);

export const timeline = computed<TimelineView | null>(() => (timelineAnswer.value.kind === "there" ? timelineAnswer.value.value.timeline : null));

/** Which step a page carries, and why; null inside TensorBoard. */
export const carried = computed<string | null>(() => (shownAddress.value === null ? null : aboutCarried(JSON.parse(shownAddress.value) as WindowAddress)));

export function timelineAddress(): WindowAddress | null {
  const address = shownAddress.peek();
  return address === null ? null : (JSON.parse(address) as WindowAddress);
}

/** Index of the step that is looked at: the address's, else the first that is not cold. */
export const stepIndex = computed(() => {
  const steps = timeline.value?.steps ?? [];
  const named = place.value.step;
  if (named !== null && named < steps.length) return named;
  return Math.max(
    steps.findIndex((step) => !step.cold),
    0,
  );
});

export const selected = computed<Selected | null>(() => parseSelected(place.value.selected));

/** Of a timeline that is there; null before. */
const askedStep = computed<string | null>(() => {
  if (timeline.value === null || timeline.value.steps.length === 0) return null;
  return JSON.stringify([timelineAddress(), stepIndex.value]);
});

export const { answer: stepAnswer, start: loadStep } = ask<TimelineStep>(
  askedStep,
  (key, signal) => {
    const [address, index] = JSON.parse(key) as [WindowAddress, number];
    return fetchTimelineStep(address, index, signal);
  },
  { revision, patienceMs: PATIENCE_MS },
);

/** A site is none: an episode is chosen for it. */
const askedSelection = computed<string | null>(() => {
  if (timeline.value === null || selected.value === null || selected.value.kind === "site") return null;
  return JSON.stringify([timelineAddress(), selected.value]);
});

const { answer: selectionAnswer, start: loadSelection } = ask<SelectionView>(
  askedSelection,
  (key, signal) => {
    const [address, { kind, number }] = JSON.parse(key) as [WindowAddress, Selected];
    return fetchSelection(address, kind, number, signal);
  },
  { revision, patienceMs: PATIENCE_MS },
);

export const selection = computed<SelectionView | null>(() => (selectionAnswer.value.kind === "there" ? selectionAnswer.value.value : null));

/** Whether sites of the timeline are those of the report; not if another version wrote the report. */
export const sitesMatch = computed(() => {
  const [marks, sites] = [timeline.value?.sites ?? [], windowView.value?.sites ?? []];
  return marks.length === sites.length && marks.every((mark, at) => mark.count === sites[at]?.count && mark.wait_us === sites[at].wait_us);
});

export function select(what: Selected | null): void {
  adjust({ selected: what === null ? null : printSelected(what) });
}

/** Asks for everything while the view is open; gives back what ends it. */
export function loadTimeline(): () => void {
  const ends = [loadAnswer(), loadStep(), loadSelection(), effect(chooseOfSite)];
  return () => {
    for (const end of ends) end();
  };
}

/** A site stands for its longest episode in the step, once that is known. */
function chooseOfSite(): void {
  const what = selected.value;
  if (what?.kind !== "site" || stepAnswer.value.kind !== "there" || stepAnswer.value.value.index !== stepIndex.value) return;
  const mine = stepAnswer.value.value.episodes.filter((episode) => episode.site === what.number);
  const longest = mine.reduce<(typeof mine)[number] | null>(
    (most, one) => (most !== null && most.end_ns - most.start_ns >= one.end_ns - one.start_ns ? most : one),
    null,
  );
  select(longest === null ? null : { kind: "episode", number: longest.number });
}
