// The route of the memory.

import { fetchJson, type WindowAddress } from "./routes.ts";
import type { MemoryAnswer, MemoryDocument, MemoryFilesView } from "./types.ts";

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

/** What lies beside the windows of a run and tells of memory. */
export function fetchMemoryFiles(run: string, signal: AbortSignal): Promise<MemoryFilesView> {
  return fetchJson<MemoryFilesView>("memory_files", { run }, signal);
}

/** One of these, by its name. */
export function fetchMemoryFile(run: string, name: string, signal: AbortSignal): Promise<MemoryDocument> {
  return fetchJson<MemoryDocument>("memory_file", { run, name }, signal);
}

function written(ns: number | null): string {
  return ns === null ? "" : String(Math.round(ns));
}
