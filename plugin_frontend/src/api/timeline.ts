// The routes of the timeline. Instants are ns since the window's first event.

import { fetchBytes, fetchJson, type WindowAddress } from "./routes.ts";
import type { FoundView, SelectionView, TimelineAnswer, TimelineStep } from "./types.ts";

export function fetchTimeline(address: WindowAddress, signal: AbortSignal): Promise<TimelineAnswer> {
  return fetchJson<TimelineAnswer>("timeline", { ...address }, signal);
}

export function fetchTimelineStep(address: WindowAddress, step: number, signal: AbortSignal): Promise<TimelineStep> {
  return fetchJson<TimelineStep>("timeline_step", { ...address, step: String(step) }, signal);
}

export function fetchSelection(address: WindowAddress, kind: string, number: number, signal: AbortSignal): Promise<SelectionView> {
  return fetchJson<SelectionView>("timeline_selection", { ...address, kind, number: String(number) }, signal);
}

/** The next row whose name holds a text, after an instant, or before it. */
export function fetchFound(address: WindowAddress, text: string, afterNs: number, backwards: boolean, signal: AbortSignal): Promise<FoundView> {
  const order = backwards ? "back" : "on";
  return fetchJson<FoundView>("timeline_find", { ...address, text, after: String(Math.round(afterNs)), order }, signal);
}

export function fetchTile(address: WindowAddress, level: number, number: number, signal: AbortSignal): Promise<ArrayBuffer> {
  return fetchBytes("timeline_tile", { ...address, level: String(level), number: String(number) }, signal);
}

/** One step as Chrome's JSON, for another viewer. */
export function fetchExcerpt(address: WindowAddress, step: number, signal: AbortSignal): Promise<ArrayBuffer> {
  return fetchBytes("timeline_excerpt", { ...address, step: String(step) }, signal);
}
