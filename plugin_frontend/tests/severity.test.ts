import assert from "node:assert/strict";
import { test } from "node:test";
import type { SeverityRow } from "../src/api/types.ts";
import { severityMeaning, usedSeverities } from "../src/model/severity.ts";

const SCALE: readonly SeverityRow[] = [
  { severity: "critical", text: "from 10 % of a step on" },
  { severity: "low", text: "less" },
];

test("a class is said with what it stands for", () => {
  assert.equal(severityMeaning(SCALE, "critical"), "critical: from 10 % of a step on");
  assert.equal(severityMeaning(SCALE, "info"), "info");
});

test("a legend explains what its list has, worst first", () => {
  const rows = [{ severity: "low" as const }, { severity: null }, { severity: "critical" as const }, { severity: "low" as const }];
  assert.deepEqual(
    usedSeverities(SCALE, rows).map(({ severity }) => severity),
    ["critical", "low"],
  );
  assert.deepEqual(usedSeverities(SCALE, []), []);
});
