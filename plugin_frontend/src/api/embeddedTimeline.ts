// The one step of a timeline that a page carries, packed as `tbprof/html_report/embedded_timeline.py` writes it.

import type { EmbeddedWindow } from "./embedded.ts";
import { RouteError } from "./routeError.ts";
import type { SelectionView, TimelineAnswer, TimelineStep, TimelineView } from "./types.ts";

interface Unpacked {
  view: TimelineView;
  step: TimelineStep;
  /** By kind and number. */
  selections: Record<string, SelectionView>;
}

const unpacked = new WeakMap<EmbeddedWindow, Promise<Unpacked | null>>();

export async function embeddedAnswer(row: EmbeddedWindow): Promise<TimelineAnswer> {
  const found = await unpack(row);
  return { state: found === null ? "gone" : "ready", timeline: found?.view ?? null, progress: null, problem: null };
}

export async function embeddedStep(row: EmbeddedWindow): Promise<TimelineStep> {
  return carried(await unpack(row)).step;
}

export async function embeddedSelection(row: EmbeddedWindow, kind: string, number: number): Promise<SelectionView> {
  return carried(carried(await unpack(row)).selections[`${kind}/${number}`]);
}

export async function embeddedTile(row: EmbeddedWindow, level: number, number: number): Promise<ArrayBuffer> {
  return inflate(carried(row.timeline?.tiles[`${level}/${number}`]));
}

function unpack(row: EmbeddedWindow): Promise<Unpacked | null> {
  const known = unpacked.get(row);
  if (known !== undefined) return known;
  const found = row.timeline === null ? Promise.resolve(null) : inflate(row.timeline.data).then(parse);
  unpacked.set(row, found);
  return found;
}

function parse(bytes: ArrayBuffer): Unpacked {
  return JSON.parse(new TextDecoder().decode(bytes)) as Unpacked;
}

function carried<Value>(value: Value | null | undefined): Value {
  if (value == null) throw new RouteError("This page does not carry that part of the timeline.");
  return value;
}

/** Bytes from their base64 and zlib. */
async function inflate(text: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}
