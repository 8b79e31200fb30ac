import assert from "node:assert/strict";
import { test } from "node:test";
import { topsOf } from "../src/model/charts/memoryStack.ts";

test("each kind stands upon those below it", () => {
  const stack = {
    kinds: ["parameters", "gradients"],
    at_us: [0, 5],
    held_bytes: [
      [4, 4],
      [0, 3],
    ],
  };
  assert.deepEqual(topsOf(stack), [
    [4, 4],
    [4, 7],
  ]);
});
