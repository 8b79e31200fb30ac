import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModuleNode } from "../src/api/types.ts";
import { closedAtFirst, moduleRows } from "../src/model/tree/modules.ts";

function node(name: string, parent: number | null): ModuleNode {
  return {
    kind: "module",
    name,
    class_name: "",
    parent,
    calls: 1,
    device_us: 1,
    device_forward_us: 1,
    device_backward_us: 0,
    device_own_us: 1,
    host_us: 1,
    host_forward_us: 1,
    host_backward_us: 0,
    host_own_us: 1,
    launches: 1,
    idle_us: 0,
    wait_us: 0,
    equal: null,
    source: null,
    kernels: [],
  };
}

const NODES = [node("", null), node("net", 0), node("layers.0-3", 1), node("linear", 2), node("head", 1), node("optimizer", 0)];

const listed = (top: number, closed: number[], found: number[] | null): string[] =>
  moduleRows(NODES, top, new Set(closed), found && new Set(found)).map(({ index, depth, hasInner, isOpen }) => {
    const mark = hasInner ? (isOpen ? "-" : "+") : " ";
    return `${"  ".repeat(depth)}${mark}${NODES[index]?.name}`;
  });

test("each row comes before what lies in it, and a closed one hides that", () => {
  assert.deepEqual(listed(0, [], null), ["-net", "  -layers.0-3", "     linear", "   head", " optimizer"]);
  assert.deepEqual(listed(0, [1], null), ["+net", " optimizer"]);
  assert.deepEqual(listed(0, [1, 2], null), ["+net", " optimizer"]);
});

test("what was opened in the drawing is all that is listed", () => {
  assert.deepEqual(listed(1, [1], null), ["-layers.0-3", "   linear", " head"]);
});

test("a search opens what leads to its matches", () => {
  assert.deepEqual(listed(0, [1, 2], [0, 1, 2, 3]), ["-net", "  -layers.0-3", "     linear"]);
});

test("a small tree is open at first, and of a large one as much as a screen holds", () => {
  assert.deepEqual(
    [...closedAtFirst(NODES)].filter((at) => NODES.some(({ parent }) => parent === at)),
    [],
  );
  const large = [node("", null), node("net", 0), ...Array.from({ length: 60 }, (_, at) => node(`layer ${at}`, 1))];
  assert.equal(moduleRows(large, 0, closedAtFirst(large), null).length, 1);
});
