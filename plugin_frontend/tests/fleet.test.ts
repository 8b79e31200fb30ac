import assert from "node:assert/strict";
import { test } from "node:test";
import type { FleetRow } from "../src/api/types.ts";
import { formatHours } from "../src/format/duration.ts";
import { inView, parsePlace, printPlace, START } from "../src/model/place.ts";
import { fleetSorting, placeOfChange, placeOfLine, placeOfRun, sortedBy } from "../src/model/runs/fleet.ts";

const ROW = { run: "team/run2", worker: "w", window: "w.1.json", top_site: 3, top_rule: "SYN01", before: "team/run1" } as FleetRow;

test("a click sorts, a second one turns round", () => {
  assert.deepEqual(fleetSorting(null), { sort: "wasted", isReversed: false });
  const once = sortedBy("idle", null);
  assert.deepEqual(fleetSorting(once), { sort: "idle", isReversed: false });
  assert.deepEqual(fleetSorting(sortedBy("idle", once)), { sort: "idle", isReversed: true });
  assert.deepEqual(fleetSorting("price"), { sort: "wasted", isReversed: false });
});

test("a row leads to the window that it tells of, its line and its change", () => {
  assert.deepEqual(parsePlace(printPlace(placeOfRun(ROW))), { ...START, run: "team/run2", worker: "w", window: "w.1.json" });
  assert.equal(placeOfLine(ROW).site, 3);
  assert.equal(placeOfLine({ ...ROW, top_site: null }).rule, "SYN01");
  assert.deepEqual([placeOfChange(ROW).view, placeOfChange(ROW).beforeRun], ["compare", "team/run1"]);
});

test("what runs were looked for is no filter of a window", () => {
  const looking = { ...START, view: "fleet" as const, filter: "SYN01", ranked: "idle", row: 200 };
  assert.deepEqual(inView(looking, "overview"), START);
  assert.deepEqual(parsePlace(printPlace(looking)), looking);
});

test("hours of a GPU have the unit that fits", () => {
  assert.deepEqual([0, 0.02, 90, 600, 7_200, 1_116_000].map(formatHours), ["0\u202fs", "<0.1\u202fs", "90\u202fs", "10\u202fmin", "2\u202fh", "310\u202fh"]);
});
