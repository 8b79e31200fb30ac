// The code of the window shown, asked for once a view or a drawer needs it.

import { computed } from "@preact/signals";
import { fetchSource, type WindowAddress } from "../../api/routes.ts";
import type { SourceAnswer, SourceFile, SourceFilesView } from "../../api/types.ts";
import { type CodePlace, firstMarked, placeOf, remarkBeside } from "../../model/source/code.ts";
import { ask } from "../loading/ask.ts";
import { failure, LOADING, type Loaded } from "../loading/loaded.ts";
import { adjust, place, visit } from "../place.ts";
import { revision } from "../runs/runs.ts";
import { openSite } from "../sites/sites.ts";
import { windowView } from "../windowAnswer.ts";

const POLL_INTERVAL_MS = 1_000;

/** Of the answer shown; null while nothing needs its code. */
const asked = computed<string | null>(() => {
  const view = windowView.value;
  if (view === null || (place.value.view !== "source" && place.value.site === null && place.value.row === null)) return null;
  return JSON.stringify({ run: view.run, worker: view.worker, window: view.window } satisfies WindowAddress);
});

/** Unfinished while the trace is read again, which takes a report that was thrown away. */
const { answer, start } = ask<SourceAnswer>(asked, (address, signal) => fetchSource(JSON.parse(address) as WindowAddress, signal), {
  revision,
  poll: { everyMs: POLL_INTERVAL_MS, unfinished: ({ state }) => state === "reading" },
  keep: true,
});

export const loadSource = start;

export const source = computed<Loaded<SourceFilesView>>(() => {
  if (answer.value.kind !== "there") return answer.value;
  const { source: files, problem } = answer.value.value;
  if (files !== null) return { kind: "there", value: files };
  return problem === null ? LOADING : failure(problem.what);
});

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
