import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverviewView } from "../src/api/types.ts";
import { unplacedFindings } from "../src/model/sites/actions.ts";
import { findingRow } from "./rows.ts";

test("findings about no site come from the actions, beside them, and from what is left", () => {
  const at = (rule: string, ...sites: number[]) => findingRow({ rule, sites });
  const overview = {
    actions: [
      { finding: at("SYN01", 0), others: [], ways: [] },
      { finding: at("LCH01"), others: [at("LCH01")], ways: [] },
    ],
    unknown: [at("CPY01", 2)],
    leave: [at("TRC02")],
  };
  const found = unplacedFindings(overview as unknown as OverviewView);
  assert.deepEqual(
    found.map(({ rule }) => rule),
    ["LCH01", "LCH01", "TRC02"],
  );
});
