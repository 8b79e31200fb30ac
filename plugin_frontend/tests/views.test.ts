import assert from "node:assert/strict";
import { test } from "node:test";
import type { WindowView } from "../src/api/types.ts";
import { declared, sitesOf, VIEWS, viewsFor } from "../src/model/views.ts";
import { siteRow } from "./rows.ts";

test("views over several windows are there only where there are several", () => {
  assert.deepEqual(viewsFor({ hasServer: true, hasTimeline: true, hasTables: true, workers: 1, windows: 1, allWindows: 1, runs: 1, hasSession: false }), [
    "overview",
    "checks",
    "syncs",
    "copies",
    "timeline",
    "source",
    "flame",
    "operators",
    "kernels",
    "modules",
    "memory",
    "communication",
    "job",
    "run",
  ]);
  assert.deepEqual(viewsFor({ hasServer: true, hasTimeline: true, hasTables: true, workers: 8, windows: 1, allWindows: 8, runs: 1, hasSession: false }), [
    "overview",
    "checks",
    "syncs",
    "copies",
    "timeline",
    "source",
    "flame",
    "operators",
    "kernels",
    "modules",
    "memory",
    "communication",
    "job",
    "compare",
    "run",
  ]);
  assert.deepEqual(viewsFor({ hasServer: true, hasTimeline: true, hasTables: true, workers: 1, windows: 2, allWindows: 2, runs: 1, hasSession: false }), [
    "overview",
    "checks",
    "syncs",
    "copies",
    "timeline",
    "source",
    "flame",
    "operators",
    "kernels",
    "modules",
    "memory",
    "communication",
    "job",
    "compare",
    "trends",
    "run",
  ]);
});

test("a page that carries its windows compares none, and has a timeline where it carries a step", () => {
  const page = { hasServer: false, workers: 8, windows: 2, allWindows: 16, runs: 1, hasSession: false };
  assert.deepEqual(viewsFor({ ...page, hasTimeline: false, hasTables: false }), [
    "overview",
    "checks",
    "syncs",
    "copies",
    "source",
    "communication",
    "job",
    "trends",
  ]);
  const carried = viewsFor({ ...page, hasTimeline: true, hasTables: true });
  assert.deepEqual(carried.slice(3, 8), ["copies", "timeline", "source", "operators", "kernels"]);
});

test("all runs stand first where there are several", () => {
  const extent = { hasServer: true, hasTimeline: true, hasTables: true, workers: 1, windows: 1, allWindows: 2, hasSession: false };
  assert.equal(viewsFor({ ...extent, runs: 2 })[0], "fleet");
  assert.equal(viewsFor({ ...extent, runs: 1, hasSession: false })[0], "overview");
  assert.equal(viewsFor({ ...extent, hasServer: false, runs: 2 })[0], "overview");
});

test("views of one question stand side by side, the job beside its communication", () => {
  const groups = VIEWS.map((view) => declared(view).group);
  assert.equal(groups.filter((group, at) => group !== groups[at - 1]).length, new Set(groups).size);
  assert.equal(declared("job").group, declared("communication").group);
});

test("what has nothing to say of a window is no tab, and a job of several ranks always is", () => {
  const says = (window: Partial<WindowView> | null, workers = 1, hasRunTime = false) =>
    VIEWS.filter((view) => declared(view).says?.(window as WindowView | null, workers, hasRunTime) === false);
  assert.deepEqual(says(null), ["memory", "communication", "job", "run"]);
  assert.deepEqual(says(null, 8), ["memory", "communication", "run"]);
  assert.deepEqual(says({ records_memory: true, communication: null }, 1, true), ["communication", "job"]);
});

test("a site that waits and copies is in both lists", () => {
  const sites = [
    siteRow({ index: 0, direction: "HtoD", blocking: 0 }),
    siteRow({ index: 1, direction: "DtoH", blocking: 2 }),
    siteRow({ index: 2, direction: "", blocking: 1 }),
  ];
  assert.deepEqual(
    sitesOf("syncs", sites).map((site) => site.index),
    [1, 2],
  );
  assert.deepEqual(
    sitesOf("copies", sites).map((site) => site.index),
    [0, 1],
  );
});

test("a session stands last where there is one", () => {
  const extent = { hasServer: true, hasTimeline: true, hasTables: true, workers: 1, windows: 1, allWindows: 1, runs: 1, hasSession: true };
  assert.equal(viewsFor(extent).at(-1), "session");
});
