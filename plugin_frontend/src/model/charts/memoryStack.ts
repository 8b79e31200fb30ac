// A stack of kinds as edges: the lowest kind's first, the sum of all last.

import type { MemoryStack } from "../../api/types.ts";

/** By kind, what it and the kinds below it hold at each instant. */
export function topsOf(stack: MemoryStack): number[][] {
  const tops: number[][] = [];
  for (const held of stack.held_bytes) {
    const below = tops.at(-1);
    tops.push(held.map((bytes, at) => bytes + (below?.[at] ?? 0)));
  }
  return tops;
}
