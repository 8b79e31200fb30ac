// The code of the window shown, asked for once a view or a drawer needs it.

import { computed, effect, signal } from "@preact/signals";
import { fetchSource, type WindowAddress } from "../api/routes.ts";
import type { SourceFile, SourceFilesView } from "../api/types.ts";
import { firstMarked, placeOf, remarkBeside, type CodePlace } from "../model/code.ts";
import { failureOf, LOADING, type Loaded } from "./loaded.ts";
import { adjust, place, visit } from "./place.ts";
import { openSite } from "./sites.ts";
import { windowView } from "./windowAnswer.ts";

const POLL_INTERVAL_MS = 1_000;

export const source = signal<Loaded<SourceFilesView>>(LOADING);

/** Of the answer shown; null while nothing needs its code. */
const asked = computed<string | null>(() => {
  const view = windowView.value;
  if (view === null || (place.value.view !== "source" && place.value.site === null)) return null;
  return JSON.stringify({ run: view.run, worker: view.worker, window: view.window } satisfies WindowAddress);
});

let loaded: string | null = null;

export function loadSource(): () => void {
  return effect(() => {
    const address = asked.value;
    if (address === null || address === loaded) return;
    const control = new AbortController();
    source.value = LOADING;
    void load(address, control.signal);
    return () => control.abort();
  });
}

/** Asks again while the trace is read anew, which takes a report that was thrown away. */
async function load(address: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      const answer = await fetchSource(JSON.parse(address) as WindowAddress, signal);
      if (answer.source !== null) {
        loaded = address;
        source.value = { kind: "there", value: answer.source };
      } else if (answer.problem !== null) source.value = { kind: "failed", message: answer.problem.what };
      if (answer.state !== "reading") return;
    } catch (error) {
      if (!signal.aborted) source.value = failureOf(error);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    if (signal.aborted) return;
  }
}

export const sourceFiles = computed<SourceFilesView | null>(() => (source.value.kind === "there" ? source.value.value : null));

/** Where the Source view is: as the address says, else at the open site, else where most is saved. */
const openPlace = computed<CodePlace | null>(() => {
  const { file, line } = place.value;
  if (file !== null) return { file, line };
  return openSite.value?.source == null ? null : placeOf(openSite.value.source);
});

export const openFile = computed<SourceFile | null>(() => {
  const files = sourceFiles.value?.files ?? [];
  const name = openPlace.value?.file;
  // A trace cuts off the start of a path that the hook keeps.
  return files.find((file) => file.path === name) ?? files.find((file) => file.path.endsWith(`/${name}`)) ?? files[0] ?? null;
});

/** The line to look at. */
export const openLine = computed<number | null>(() => openPlace.value?.line ?? (openFile.value === null ? null : firstMarked(openFile.value)));

/** Opens the Source view at a place. */
export function visitCode(code: CodePlace): void {
  visit({ view: "source", ...code, site: null, rule: null });
}

/** Goes to the next remark, or the one before, through all files. */
export function moveRemark(by: 1 | -1): void {
  const files = sourceFiles.peek()?.files ?? [];
  const file = openFile.peek();
  const next = file === null ? null : remarkBeside(files, { file: file.path, line: openLine.peek() }, by);
  if (next !== null) adjust({ file: next.file, line: next.line });
}
