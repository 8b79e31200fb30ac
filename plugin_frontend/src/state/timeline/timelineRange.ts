// The part of the window that is seen. It is written to the address once it rests.

import { effect, signal } from "@preact/signals";
import { around, pan, type Range, reveal, within, zoom } from "../../model/timeline/range.ts";
import { adjust, place } from "../place.ts";
import { stepAnswer, stepIndex, timeline } from "./timeline.ts";

const REST_MS = 250;
/** One press of a key. */
const ZOOM = 0.6;
const PAN = 0.2;

export const range = signal<Range | null>(null);

let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a part of the window, and writes it to the address when it stays. */
function show(next: Range): void {
  range.value = next;
  clearTimeout(timer);
  timer = setTimeout(() => adjust({ fromNs: Math.round(next.fromNs), toNs: Math.round(next.toNs) }), REST_MS);
}

/** Follows the address: its range, else the whole step. */
export function followRange(): () => void {
  const end = effect(() => {
    const { fromNs, toNs } = place.value;
    const view = timeline.value;
    if (view === null) return;
    clearTimeout(timer);
    if (fromNs !== null && toNs !== null && toNs > fromNs) range.value = within({ fromNs, toNs }, view.span_ns);
    else range.value = rangeOfStep();
  });
  return () => {
    end();
    clearTimeout(timer);
    range.value = null;
  };
}

/** The step with the GPU work that it launched, and a little around both. */
function rangeOfStep(): Range | null {
  const view = timeline.value;
  const step = view?.steps[stepIndex.value];
  if (view === null || step === undefined) return view === null ? null : { fromNs: 0, toNs: view.span_ns };
  const answer = stepAnswer.value;
  const known = answer.kind === "there" && answer.value.index === stepIndex.value ? answer.value.end_ns : 0;
  return around(step.start_ns, Math.max(step.start_ns + step.duration_ns, known), view.span_ns);
}

export function visitStep(steps: number): void {
  const count = timeline.peek()?.steps.length ?? 0;
  const next = stepIndex.peek() + steps;
  if (next >= 0 && next < count) adjust({ step: next, selected: null, fromNs: null, toNs: null });
}

export function zoomIn(): void {
  zoomAround(ZOOM);
}

export function zoomOut(): void {
  zoomAround(1 / ZOOM);
}

/** Around an instant, or the middle of what is seen. */
export function zoomAround(factor: number, anchorNs?: number): void {
  change((now, spanNs) => zoom(now, factor, anchorNs ?? (now.fromNs + now.toNs) / 2, spanNs));
}

export function panBy(direction: number): void {
  change((now, spanNs) => pan(now, direction * PAN, spanNs));
}

export function moveTo(middleNs: number): void {
  change((now, spanNs) => {
    const half = (now.toNs - now.fromNs) / 2;
    return within({ fromNs: middleNs - half, toNs: middleNs + half }, spanNs);
  });
}

export function revealRange(startNs: number, endNs: number): void {
  change((now, spanNs) => reveal(now, startNs, endNs, spanNs));
}

/** An interval with as much again around it. */
export function fit(startNs: number, endNs: number): void {
  change((_, spanNs) => around(startNs, endNs, spanNs, 0.5));
}

export function fitStep(): void {
  adjust({ fromNs: null, toNs: null });
}

function change(next: (now: Range, spanNs: number) => Range): void {
  const [now, view] = [range.peek(), timeline.peek()];
  if (now !== null && view !== null) show(next(now, view.span_ns));
}
