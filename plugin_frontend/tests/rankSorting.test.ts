import assert from "node:assert/strict";
import { test } from "node:test";
import type { SeriesRow } from "../src/api/types.ts";
import { sortRanks } from "../src/model/rankSorting.ts";

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
