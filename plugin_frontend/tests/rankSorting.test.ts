import assert from "node:assert/strict";
import { test } from "node:test";
import type { SeriesRow } from "../src/api/types.ts";
import { remarksOf, searchRanks, sortRanks } from "../src/model/ranks/rankSorting.ts";

function rankRow(worker: string, wait: number | null): SeriesRow {
  const figures = wait === null ? null : { step_us: 10, idle_share: null, wait_us: wait, sync_points: 1, gpu_lag_us: 0 };
  return { worker, rank: null, figures } as SeriesRow;
}

const names = (rows: readonly SeriesRow[]): string[] => rows.map((row) => row.worker);

test("ranks stand by a figure with the largest first, and without it last", () => {
  const rows = [rankRow("a", null), rankRow("b", 1), rankRow("c", 3), rankRow("d", 1)];
  assert.deepEqual(names(sortRanks(rows, "wait")), ["c", "b", "d", "a"]);
  assert.deepEqual(names(sortRanks(rows, "idle")), ["a", "b", "c", "d"]);
  assert.deepEqual(names(sortRanks(rows, "name")), ["a", "b", "c", "d"]);
});

test("a search finds ranks by number and by worker", () => {
  const rows = [
    { ...rankRow("node_a_rank0", 1), rank: 0 },
    { ...rankRow("node_b_rank12", 1), rank: 12 },
  ];
  assert.deepEqual(names(searchRanks(rows, "12")), ["node_b_rank12"]);
  assert.deepEqual(names(searchRanks(rows, " node B")), ["node_b_rank12"]);
  assert.equal(searchRanks(rows, "").length, 2);
});

test("all that are written alike share a remark, and where all are there is none", () => {
  const remarks = remarksOf([rankRow("a", 5_000), rankRow("b", 5_001), rankRow("c", 1), rankRow("d", null)]);
  assert.deepEqual(
    [...remarks],
    [
      ["a", "waits longest"],
      ["b", "waits longest"],
    ],
  );
  assert.equal(remarksOf([rankRow("a", 1), rankRow("b", 1)]).size, 0);
});
