import assert from "node:assert/strict";
import { test } from "node:test";
import type { SourceView } from "../src/api/types.ts";
import { type Grouping, groupsOf } from "../src/model/sites/grouping.ts";
import { siteRow } from "./rows.ts";

const at = (file: string, line: number): SourceView => ({ file, line, function: "f", exact: true, candidates: [], code: "", doubt: "" });
const SITES = [
  siteRow({ index: 0, wait_us: 5, ops: ["aten::copy_", "aten::to"], source: at("train.py", 3), count: 3, per_step: [1, 2], wait_per_step_us: [1, 4] }),
  siteRow({ index: 1, wait_us: 9, ops: ["aten::item"], source: at("lib/clip.py", 8), library: "lib", count: 2, per_step: [0, 1], wait_per_step_us: [0, 6] }),
  siteRow({ index: 2, wait_us: 7, ops: ["aten::_to_copy", "aten::to"], source: at("train.py", 3), count: 1, per_step: [1, 0], wait_per_step_us: [7, 0] }),
  siteRow({ index: 3, wait_us: 1, ops: [], source: null, count: 1, per_step: [1, 0], wait_per_step_us: [1, 0] }),
];
const groups = (grouping: Grouping): [string, number[]][] =>
  groupsOf(grouping, SITES, new Set([1]), ["one", "two"], { sort: "wait", descending: true }).map(({ title, sites }) => [
    title,
    sites.map((site) => site.index),
  ]);

test("sites of one line, operator or library stand together, the most first", () => {
  assert.deepEqual(groups("line"), [
    ["lib/clip.py:8", [1]],
    ["train.py:3", [2, 0]],
    ["line not recorded", [3]],
  ]);
  assert.deepEqual(groups("operator"), [
    ["aten::item", [1]],
    ["aten::to", [2, 0]],
    ["no operator", [3]],
  ]);
  assert.deepEqual(groups("library"), [
    ["lib", [1]],
    ["your own code", [2, 0]],
    ["line not recorded", [3]],
  ]);
});

test("groups of what there is to do are as ever", () => {
  assert.deepEqual(groups("action"), [
    ["Actions", [1]],
    ["Without findings", [2, 0, 3]],
  ]);
});

test("a step has its own counts and waits, and what lies in none comes last", () => {
  const steps = groupsOf("step", SITES, new Set(), ["one", "two"], { sort: "wait", descending: true });
  assert.deepEqual(
    steps.map(({ title, sites }) => [title, sites.map((site) => [site.index, site.count, site.wait_us])]),
    [
      [
        "one",
        [
          [2, 1, 7],
          [0, 1, 1],
          [3, 1, 1],
        ],
      ],
      [
        "two",
        [
          [1, 1, 6],
          [0, 2, 4],
        ],
      ],
      ["In no step", [[1, 1, 3]]],
    ],
  );
});
