// Files beside the windows of the run shown that tell of memory, and the one that is open.

import { computed, signal } from "@preact/signals";
import { embedded } from "../../api/embedded.ts";
import { fetchMemoryFile, fetchMemoryFiles } from "../../api/memory.ts";
import type { MemoryDocument, MemoryFileRow, MemoryFilesView } from "../../api/types.ts";
import { ask } from "../loading/ask.ts";
import { place } from "../place.ts";
import { shown, withoutWindows } from "../runs/runs.ts";

const askedList = computed<string | null>(() => {
  if (embedded !== null) return null;
  return withoutWindows.value ?? (place.value.view === "memory" ? (shown.value?.run.run ?? null) : null);
});

const { answer: list, start: startList } = ask<MemoryFilesView & { run: string }>(askedList, async (run, ended) => ({
  run,
  ...(await fetchMemoryFiles(run, ended)),
}));

/** Those of the run shown; none where they could not be listed. */
export const memoryFiles = computed<readonly MemoryFileRow[]>(() =>
  // Those of the run before are there until the answer for this one is.
  list.value.kind === "there" && list.value.value.run === askedList.value ? list.value.value.files : [],
);

/** What was opened or closed by hand; before that, a failed allocation is open. */
const chosen = signal<{ run: string; name: string | null } | null>(null);

export const openMemoryFile = computed<string | null>(() => {
  const files = memoryFiles.value;
  const own = chosen.value?.run === askedList.value ? chosen.value : null;
  const name = own === null ? files.find((file) => file.is_failure)?.name : own?.name;
  return files.some((file) => file.name === name) ? (name ?? null) : null;
});

const askedFile = computed<string | null>(() => (openMemoryFile.value === null ? null : JSON.stringify([askedList.value, openMemoryFile.value])));

const { answer, start: startFile } = ask<MemoryDocument>(askedFile, (key, ended) => fetchMemoryFile(...(JSON.parse(key) as [string, string]), ended), {
  keep: true,
});

export const memoryDocument = answer;

/** Follows both questions; gives back what ends them. */
export function loadMemoryFiles(): () => void {
  const ends = [startList(), startFile()];
  return () => {
    for (const end of ends) end();
  };
}

/** Opens a file, or closes it where it is open. */
export function toggleMemoryFile(name: string): void {
  chosen.value = { run: askedList.peek() ?? "", name: openMemoryFile.peek() === name ? null : name };
}
