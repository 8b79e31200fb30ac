import assert from "node:assert/strict";
import { test } from "node:test";
import { type Box, boxBeside, boxesOf, countOf, findNode, fitted, forkOf, matchesOf, ownOf, pathTo, timeOf, treeOf } from "../src/model/tree/icicle.ts";

const NODES = [
  { name: "", parent: null, folded: 0 },
  { name: "main", parent: 0, folded: 0 },
  { name: "forward", parent: 1, folded: 0 },
  { name: "backward", parent: 1, folded: 0 },
  { name: "tiny", parent: 1, folded: 0 },
  { name: "", parent: 1, folded: 7 },
  { name: "backward hook", parent: 3, folded: 0 },
];
const VALUES = [1000, 1000, 300, 690, 2, 4, 90];

function tree() {
  const root = treeOf(NODES, VALUES);
  if (root === null) throw new Error("no tree");
  return root;
}

function rows(boxes: readonly Box[]): [number, string, number][] {
  return boxes.map((box) => [box.depth, box.nodes.map((node) => node.name).join("+"), Math.round(box.width)]);
}

test("a node is as wide as its share, and the largest stands first", () => {
  assert.deepEqual(rows(boxesOf(tree(), 1000)), [
    [0, "", 1000],
    [1, "main", 1000],
    [2, "backward", 690],
    [2, "forward", 300],
    [2, "tiny+", 6],
    [3, "backward hook", 90],
  ]);
});

test("what is too narrow to be seen is one box, and none where that is too narrow too", () => {
  const several = boxesOf(tree(), 1000).find((box) => box.nodes.length > 1);
  assert.ok(several !== undefined);
  assert.deepEqual([countOf(several), timeOf(several)], [8, 6]);
  assert.equal(boxesOf(tree(), 100).filter((box) => box.nodes.length > 1).length, 0);
});

test("boxes of a row add up to no more than the box above them", () => {
  const boxes = boxesOf(tree(), 777);
  const below = boxes.filter((box) => box.depth === 2).reduce((sum, box) => sum + box.width, 0);
  assert.ok(below <= 777);
});

test("what a node takes outside its parts is its own", () => {
  const backward = findNode(tree(), 3);
  assert.ok(backward !== null);
  assert.equal(ownOf(backward), 600);
  assert.deepEqual(
    pathTo(backward).map((node) => node.index),
    [0, 1, 3],
  );
});

test("at first the graph opens where the time parts", () => {
  assert.equal(forkOf(tree()).name, "main");
});

test("a search counts each time once, though a match lies in another", () => {
  const { found, around, value } = matchesOf(tree(), "BACK");
  assert.deepEqual([[...found].sort(), value], [[3, 6], 690]);
  assert.deepEqual([...around].sort(), [0, 1, 3, 6]);
  assert.equal(matchesOf(tree(), " ").found.size, 0);
});

test("arrows lead to the parts, to what is around and to the neighbors", () => {
  const boxes = boxesOf(tree(), 1000);
  const name = (at: number): string => boxes[at]?.nodes[0]?.name ?? "";
  assert.equal(name(boxBeside(boxes, 1, "down")), "backward");
  assert.equal(name(boxBeside(boxes, 2, "right")), "forward");
  assert.equal(name(boxBeside(boxes, 3, "left")), "backward");
  assert.equal(name(boxBeside(boxes, 3, "up")), "main");
  assert.equal(boxBeside(boxes, 3, "down"), 3);
});

test("a name is written as far as it fits", () => {
  assert.equal(fitted("backward", 80, 10), "backward");
  assert.equal(fitted("backward", 50, 10), "back…");
  assert.equal(fitted("backward", 20, 10), "");
  assert.equal(fitted("EncoderLayer_12", 70, 10), "Enc…_12");
  assert.equal(fitted("EncoderLayer_12", 40, 10), "Enc…");
});
