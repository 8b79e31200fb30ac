// The route of the memory.

import { fetchJson, type WindowAddress } from "./routes.ts";
import type { MemoryAnswer } from "./types.ts";

/** Of a device, a part of the window and a moment in it, in ns since its first event; null: the server chooses. */
export interface MemoryQuestion {
  device: string | null;
  fromNs: number | null;
  toNs: number | null;
  momentNs: number | null;
}

export function fetchMemory(address: WindowAddress, question: MemoryQuestion, signal: AbortSignal): Promise<MemoryAnswer> {
  const asked = { device: question.device ?? "", start: written(question.fromNs), end: written(question.toNs), at: written(question.momentNs) };
  return fetchJson<MemoryAnswer>("memory", { ...address, ...asked }, signal);
}

function written(ns: number | null): string {
  return ns === null ? "" : String(Math.round(ns));
}
