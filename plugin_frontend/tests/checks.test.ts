import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckRow } from "../src/api/types.ts";
import { byFamily, failedRows } from "../src/model/checks.ts";

const check = (rule: string, state: CheckRow["state"], severity: CheckRow["severity"] = null): CheckRow => ({
  rule,
  state,
  severity,
  name: "",
  title: "",
  family: rule.slice(0, 3),
  said: "",
  action: "",
  findings: 0,
  saving: null,
  no_saving: "",
  sites: [],
  guides: [],
});

const ROWS = [check("SYN07", "failed", "high"), check("TRC02", "failed", "info"), check("CPY01", "passed"), check("SYN01", "passed"), check("CPY02", "passed")];

test("what would fail on a GPU is a group of its own", () => {
  const { costly, predicted } = failedRows([...ROWS, check("SYN02", "predicted")]);
  assert.deepEqual([costly.map((row) => row.rule), predicted.map((row) => row.rule)], [["SYN07"], ["SYN02"]]);
});

test("what costs nothing here is told apart from what failed", () => {
  const { costly, harmless } = failedRows(ROWS);
  assert.deepEqual([costly.map((row) => row.rule), harmless.map((row) => row.rule)], [["SYN07"], ["TRC02"]]);
});

test("families keep their order and hold one state", () => {
  assert.deepEqual(
    byFamily(ROWS, "passed").map(({ name, rows }) => [name, rows.map((row) => row.rule)]),
    [
      ["CPY", ["CPY01", "CPY02"]],
      ["SYN", ["SYN01"]],
    ],
  );
});
