import assert from "node:assert/strict";
import { test } from "node:test";
import { sitesOf, viewsFor } from "../src/model/views.ts";
import { siteRow } from "./rows.ts";

test("ranks and trends are there only where several can be compared", () => {
  assert.deepEqual(viewsFor(1, 1), ["overview", "syncs", "copies"]);
  assert.deepEqual(viewsFor(8, 1), ["overview", "syncs", "copies", "ranks"]);
  assert.deepEqual(viewsFor(1, 2), ["overview", "syncs", "copies", "trends"]);
});

test("a site that waits and copies is in both lists", () => {
  const sites = [
    siteRow({ index: 0, direction: "HtoD", blocking: 0 }),
    siteRow({ index: 1, direction: "DtoH", blocking: 2 }),
    siteRow({ index: 2, direction: "", blocking: 1 }),
  ];
  assert.deepEqual(sitesOf("syncs", sites).map((site) => site.index), [1, 2]);
  assert.deepEqual(sitesOf("copies", sites).map((site) => site.index), [0, 1]);
});
