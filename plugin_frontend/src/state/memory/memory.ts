// The memory of the window shown: asked for when its view is opened, and again for each part and moment.

import { computed } from "@preact/signals";
import { fetchMemory, type MemoryQuestion } from "../../api/memory.ts";
import type { WindowAddress } from "../../api/routes.ts";
import type { MemoryAnswer, MemoryView } from "../../api/types.ts";
import { pan, type Range, within, zoom } from "../../model/timeline/range.ts";
import { ask } from "../loading/ask.ts";
import { adjust, place, visit } from "../place.ts";
import { revision, shownAddress } from "../runs/runs.ts";

const POLL_INTERVAL_MS = 500;
/** The part before stays so long. */
const PATIENCE_MS = 300;
/** One press of a key. */
const ZOOM = 0.6;
const PAN = 0.2;

const asked = computed<string | null>(() => {
  const { view, device, fromNs, toNs, momentNs } = place.value;
  if (view !== "memory" || shownAddress.value === null) return null;
  const question: MemoryQuestion = { device, fromNs, toNs, momentNs };
  return JSON.stringify([JSON.parse(shownAddress.value), question]);
});

export const { answer: memoryAnswer, start: loadMemory } = ask<MemoryAnswer>(
  asked,
  (key, ended) => {
    const [address, question] = JSON.parse(key) as [WindowAddress, MemoryQuestion];
    return fetchMemory(address, question, ended);
  },
  { revision, poll: { everyMs: POLL_INTERVAL_MS, unfinished: ({ state }) => state === "reading" }, patienceMs: PATIENCE_MS },
);

export const memory = computed<MemoryView | null>(() => (memoryAnswer.value.kind === "there" ? memoryAnswer.value.value.memory : null));

/** The part of the window that the curve shows; the timeline opens at the same one. */
export const seen = computed<Range | null>(() => {
  const view = memory.value;
  if (view === null) return null;
  const { fromNs, toNs } = place.value;
  return fromNs !== null && toNs !== null && toNs > fromNs ? within({ fromNs, toNs }, view.span_ns) : { fromNs: 0, toNs: view.span_ns };
});

export function showPart({ fromNs, toNs }: Range): void {
  adjust({ fromNs: Math.round(fromNs), toNs: Math.round(toNs) });
}

export function showAll(): void {
  adjust({ fromNs: null, toNs: null });
}

export function zoomIn(): void {
  change((now, spanNs) => zoom(now, ZOOM, (now.fromNs + now.toNs) / 2, spanNs));
}

export function zoomOut(): void {
  change((now, spanNs) => zoom(now, 1 / ZOOM, (now.fromNs + now.toNs) / 2, spanNs));
}

export function panBy(direction: number): void {
  change((now, spanNs) => pan(now, direction * PAN, spanNs));
}

export function zoomAround(factor: number, anchorNs: number): void {
  change((now, spanNs) => zoom(now, factor, anchorNs, spanNs));
}

function change(next: (now: Range, spanNs: number) => Range): void {
  const [now, view] = [seen.peek(), memory.peek()];
  if (now !== null && view !== null) showPart(next(now, view.span_ns));
}

/** Null: the peak. */
export function chooseMoment(momentNs: number | null): void {
  adjust({ momentNs: momentNs === null ? null : Math.round(momentNs) });
}

export function chooseDevice(device: string): void {
  adjust({ device, momentNs: null });
}

/** The same part in the timeline. */
export function openTimeline(): void {
  visit({ view: "timeline", selected: null });
}
