import assert from "node:assert/strict";
import { test } from "node:test";
import type { LaneRow } from "../src/api/types.ts";
import { boxOf, heightOf, layOutLanes, lineAt } from "../src/model/timeline/layout.ts";
import { parseSelected, printSelected } from "../src/model/timeline/selected.ts";

const lane = (kind: LaneRow["kind"], ...lines: string[]): LaneRow => ({ kind, device: null, stream: null, name: "", lines, peak: 0 });
const LANES = [lane("idle", "idle"), lane("episodes", "episode"), lane("main", "label", "frame", "op", "op", "call")];
const ALL = { ops: true, idle: true, episodes: true };

test("lanes lie below each other and their lines within them", () => {
  const boxes = layOutLanes(LANES, ALL);
  boxes.forEach((box, at) => {
    assert.equal(box.top, at === 0 ? 0 : (boxes[at - 1]?.top ?? 0) + (boxes[at - 1]?.height ?? 0));
    for (const line of box.lines) assert.ok(line.top >= box.top && line.top + line.height <= box.top + box.height);
  });
  assert.equal(
    heightOf(boxes),
    boxes.reduce((sum, box) => sum + box.height, 0),
  );
});

test("without ops only the outermost of them stays, under its own number", () => {
  const [, , main] = layOutLanes(LANES, { ...ALL, ops: false });
  assert.deepEqual(
    main?.lines.map(({ line }) => line),
    [0, 2, 4],
  );
});

test("lanes that are switched off leave no room", () => {
  const boxes = layOutLanes(LANES, { ops: true, idle: false, episodes: false });
  assert.deepEqual(
    boxes.map(({ lane: number, top }) => [number, top]),
    [[2, 0]],
  );
});

test("a height leads to its line and a line to its height", () => {
  const boxes = layOutLanes(LANES, ALL);
  const box = boxOf(boxes, 2, 3);
  assert.ok(box !== null);
  const hit = lineAt(boxes, box.top + 1);
  assert.deepEqual([hit?.lane.lane, hit?.line.line], [2, 3]);
  assert.equal(lineAt(boxes, 1e6), null);
  assert.equal(boxOf(boxes, 0, 9), null);
});

test("a selection survives the address, and nonsense does not", () => {
  for (const kind of ["episode", "row", "gap", "site"] as const) {
    assert.deepEqual(parseSelected(printSelected({ kind, number: 12 })), { kind, number: 12 });
  }
  for (const text of [null, "", "e", "x5", "e-1", "e1.5"]) assert.equal(parseSelected(text), null);
});
