// The routes of the timeline. Instants are ns since the window's first event.

import { embedded } from "./embedded.ts";
import { embeddedAnswer, embeddedSelection, embeddedStep, embeddedTile } from "./embeddedTimeline.ts";
import { embeddedWindow, fetchBytes, fetchJson, findEmbedded, type WindowAddress } from "./routes.ts";
import type { FoundView, SelectionView, TimelineAnswer, TimelineStep } from "./types.ts";

export function fetchTimeline(address: WindowAddress, signal: AbortSignal): Promise<TimelineAnswer> {
  return embedded === null ? fetchJson<TimelineAnswer>("timeline", { ...address }, signal) : embeddedWindow(embedded, address).then(embeddedAnswer);
}

/** What a page says of the step that it carries of a window; null inside TensorBoard, which has all of them. */
export function aboutCarried(address: WindowAddress): string | null {
  return embedded === null ? null : (findEmbedded(embedded, address)?.timeline?.about ?? "");
}

/** Whether there is such a tile: a page carries those of one step. */
export function hasTile(address: WindowAddress, level: number, number: number): boolean {
  return embedded === null || findEmbedded(embedded, address)?.timeline?.tiles[`${level}/${number}`] !== undefined;
}

export function fetchTimelineStep(address: WindowAddress, step: number, signal: AbortSignal): Promise<TimelineStep> {
  if (embedded !== null) return embeddedWindow(embedded, address).then(embeddedStep);
  return fetchJson<TimelineStep>("timeline_step", { ...address, step: String(step) }, signal);
}

export function fetchSelection(address: WindowAddress, kind: string, number: number, signal: AbortSignal): Promise<SelectionView> {
  if (embedded !== null) return embeddedWindow(embedded, address).then((row) => embeddedSelection(row, kind, number));
  return fetchJson<SelectionView>("timeline_selection", { ...address, kind, number: String(number) }, signal);
}

/** The next row whose name holds a text, after an instant, or before it. */
export function fetchFound(address: WindowAddress, text: string, afterNs: number, backwards: boolean, signal: AbortSignal): Promise<FoundView> {
  const order = backwards ? "back" : "on";
  return fetchJson<FoundView>("timeline_find", { ...address, text, after: String(Math.round(afterNs)), order }, signal);
}

export function fetchTile(address: WindowAddress, level: number, number: number, signal: AbortSignal): Promise<ArrayBuffer> {
  if (embedded !== null) return embeddedWindow(embedded, address).then((row) => embeddedTile(row, level, number));
  return fetchBytes("timeline_tile", { ...address, level: String(level), number: String(number) }, signal);
}

/** One step as Chrome's JSON, for another viewer. */
export function fetchExcerpt(address: WindowAddress, step: number, signal: AbortSignal): Promise<ArrayBuffer> {
  return fetchBytes("timeline_excerpt", { ...address, step: String(step) }, signal);
}
