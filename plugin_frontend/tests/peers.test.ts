import assert from "node:assert/strict";
import { test } from "node:test";
import { peerMatrix } from "../src/model/ranks/peers.ts";

const TO_NEXT = { source: 2, destination: 3, count: 4, bytes: 4_000 };

test("rows are who sends, columns who receives, and bars are by size", () => {
  const matrix = peerMatrix([TO_NEXT, { source: 1, destination: 2, count: 8, bytes: 1_000 }]);
  assert.deepEqual(
    [matrix.sources, matrix.destinations],
    [
      [1, 2],
      [2, 3],
    ],
  );
  assert.deepEqual([matrix.of, matrix.most], ["bytes", 4_000]);
  assert.equal(matrix.cell(2, 3), TO_NEXT);
  assert.equal(matrix.cell(1, 3), undefined);
});

test("where a size is missing, bars are by messages", () => {
  const matrix = peerMatrix([TO_NEXT, { source: 1, destination: 2, count: 8, bytes: null }]);
  assert.deepEqual([matrix.of, matrix.most], ["count", 8]);
});
