import assert from "node:assert/strict";
import { test } from "node:test";
import { filterSites } from "../src/model/sites/filtering.ts";
import { findingRow, siteRow } from "./rows.ts";

const SITES = [
  siteRow({ index: 0, source: { file: "/a/train.py", line: 56, function: "run", exact: true, candidates: [], code: "", doubt: "" } }),
  siteRow({ index: 1, ops: ["aten::item"], findings: [findingRow({ rule: "SYN01" })] }),
  siteRow({ index: 2, label: "验证" }),
];
const found = (filter: string): number[] => filterSites(SITES, filter).map((site) => site.index);

test("an empty box leaves all", () => assert.deepEqual(found("  "), [0, 1, 2]));
test("place, op, rule and label are searched", () => {
  assert.deepEqual(found("train.py:56"), [0]);
  assert.deepEqual(found("ITEM"), [1]);
  assert.deepEqual(found("syn01"), [1]);
  assert.deepEqual(found("验证"), [2]);
});
test("every word must be somewhere", () => {
  assert.deepEqual(found("item syn01"), [1]);
  assert.deepEqual(found("item train"), []);
});
