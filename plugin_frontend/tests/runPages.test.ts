import assert from "node:assert/strict";
import { test } from "node:test";
import { joinedPages } from "../src/api/runPages.ts";
import type { RunsView } from "../src/api/types.ts";

function page(version: string, next: number | null, ...names: string[]): RunsView {
  return {
    logdir: "logs",
    tbprof_version: "0.1",
    runs: names.map((run) => ({ run, family: run, workers: [] })),
    without_windows: [],
    newest_run: names.at(-1) ?? null,
    skipped: next === 1 ? [{ path: "x", reason: "y" }] : [],
    has_session: false,
    next_page: next,
    version,
  };
}

test("pages are one list, with what the first alone says", () => {
  const all = joinedPages(page("1", 1, "a", "b"), [page("1", 2, "c"), page("1", null, "d")]);
  assert.deepEqual(
    all.runs.map((row) => row.run),
    ["a", "b", "c", "d"],
  );
  assert.deepEqual([all.next_page, all.skipped.length, all.version], [null, 1, "1"]);
});

test("a run that moved to another page while they were read is there once", () => {
  const all = joinedPages(page("1", 1, "a", "b"), [page("2", null, "b", "c")]);
  assert.deepEqual(
    all.runs.map((row) => row.run),
    ["a", "b", "c"],
  );
});

test("one page is the list", () => {
  assert.deepEqual(joinedPages(page("1", null), []).runs, []);
});
