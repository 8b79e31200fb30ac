import assert from "node:assert/strict";
import { test } from "node:test";
import { bestSaving, explainedShare, groupSites, hostWait, meanPerStep, SORT_KEYS, siteLabel } from "../src/model/sites/sorting.ts";
import { findingRow, siteRow } from "./rows.ts";

const saving = (ceiling_us: number) => ({ floor_us: 0, estimate_us: null, ceiling_us });
const SITES = [
  siteRow({ index: 0, wait_us: 900 }),
  siteRow({ index: 1, wait_us: 10, findings: [findingRow({ saving: saving(50) })] }),
  siteRow({ index: 2, wait_us: 5, findings: [findingRow({ saving: saving(70) }), findingRow({ saving: saving(7) })] }),
  siteRow({ index: 3, wait_us: 20, findings: [findingRow({ saving: null })] }),
  siteRow({ index: 4, wait_us: 1000 }),
];
const indexes = (sites: readonly { index: number }[]): number[] => sites.map((site) => site.index);

test("findings come first, by ceiling; the others by wait", () => {
  const groups = groupSites(SITES, new Set(), "saving", true);
  assert.deepEqual(indexes(groups.withFindings), [2, 1, 3]);
  assert.deepEqual(indexes(groups.others), [4, 0]);
});

test("what is in the plan comes before all others", () => {
  const groups = groupSites(SITES, new Set([1, 4]), "saving", true);
  assert.deepEqual(indexes(groups.planned), [1, 4]);
  assert.deepEqual(indexes(groups.withFindings), [2, 3]);
  assert.deepEqual(indexes(groups.others), [0]);
});

test("what has no figure comes last in both orders", () => {
  assert.deepEqual(indexes(groupSites(SITES, new Set(), "saving", false).withFindings), [1, 2, 3]);
});

test("sorting leaves the list it was given alone", () => {
  const before = indexes(SITES);
  groupSites(SITES, new Set(), "wait", true);
  assert.deepEqual(indexes(SITES), before);
});

test("equal sites keep their places under every column", () => {
  const twins = [siteRow({ index: 0 }), siteRow({ index: 1 }), siteRow({ index: 2 })];
  for (const key of SORT_KEYS) {
    assert.deepEqual(indexes(groupSites(twins, new Set(), key, true).others), [0, 1, 2], key);
    assert.deepEqual(indexes(groupSites(twins, new Set(), key, false).others), [0, 1, 2], key);
  }
});

test("lines sort as text", () => {
  const source = (file: string) => ({ file, line: 1, function: "f", exact: true, candidates: [], code: "", doubt: "" });
  const sites = [siteRow({ index: 0, source: source("b.py") }), siteRow({ index: 1, source: null }), siteRow({ index: 2, source: source("a.py") })];
  assert.deepEqual(indexes(groupSites(sites, new Set(), "site", false).others), [2, 0, 1]);
});

test("a site's saving is its best finding's, not their sum", () => {
  assert.equal(bestSaving(SITES[2]!)?.ceiling_us, 70);
  assert.equal(bestSaving(SITES[3]!), null);
});

test("a site's own saving comes before one that it has with others", () => {
  const shared = findingRow({ saving: saving(90), sites: [0, 1] });
  assert.equal(bestSaving(siteRow({ findings: [shared, findingRow({ saving: saving(7), sites: [0] })] }))?.ceiling_us, 7);
  assert.equal(bestSaving(siteRow({ findings: [shared] }))?.ceiling_us, 90);
});

test("what can't be divided is not zero", () => {
  assert.equal(meanPerStep(siteRow({ per_step: [] })), null);
  assert.equal(meanPerStep(siteRow({ per_step: [1, 2] })), 1.5);
  assert.equal(explainedShare(siteRow({ wait_us: 0 })), null);
});

test("label and module stand together where both are known", () => {
  assert.equal(siteLabel(siteRow({ label: "loss", module: "Net" })), "loss · Net");
  assert.equal(siteLabel(siteRow({ module: "Net" })), "Net");
  assert.equal(siteLabel(siteRow({})), null);
});

test("what returns without waiting has no wait, and stands below what has one", () => {
  const async = siteRow({ index: 0, blocking: 0, wait_us: 900 });
  const short = siteRow({ index: 1, blocking: 1, wait_us: 5 });
  assert.deepEqual([async, short].map(hostWait), [null, 5]);
  assert.deepEqual(indexes(groupSites([async, short], new Set(), "wait", true).others), [1, 0]);
});
