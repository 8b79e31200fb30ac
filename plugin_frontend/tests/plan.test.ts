import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverviewView } from "../src/api/types.ts";
import { unplacedFindings } from "../src/model/plan.ts";
import { findingRow } from "./rows.ts";

test("findings about no site come from the plan, beside it, and from what is left", () => {
  const at = (rule: string, ...sites: number[]) => findingRow({ rule, sites });
  const overview = { plan: [{ finding: at("SYN01", 0) }], ceilings: [at("LCH01"), at("CPY01", 2)], leave: [at("TRC02")] };
  const found = unplacedFindings(overview as unknown as OverviewView);
  assert.deepEqual(
    found.map(({ rule }) => rule),
    ["LCH01", "TRC02"],
  );
});
