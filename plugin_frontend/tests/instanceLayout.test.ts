import assert from "node:assert/strict";
import { test } from "node:test";
import type { SpanRow } from "../src/api/types.ts";
import { layOutInstance } from "../src/model/sites/instanceLayout.ts";

const span = (kind: SpanRow["kind"], start_us: number, duration_us: number): SpanRow => ({ kind, name: kind, start_us, duration_us });

test("both lanes share one axis, from the first start to the last end", () => {
  const { host, device, extent_us } = layOutInstance(
    { step: null, op: null, host: [span("copy_call", 1000, 50)], device: [span("kernel", 1050, 50)], remarks: [] },
    200,
  );
  assert.equal(extent_us, 100);
  assert.deepEqual(
    host.map(({ x, width }) => [x, width]),
    [[0, 100]],
  );
  assert.deepEqual(
    device.map(({ x, width, start_us }) => [x, width, start_us]),
    [[100, 100, 50]],
  );
});

test("a bar too short to see is widened within the drawing", () => {
  const { host } = layOutInstance({ step: null, op: null, host: [span("launch", 0, 1000), span("launch", 1000, 0)], device: [], remarks: [] }, 100);
  assert.deepEqual(
    host.map(({ x, width }) => [x, width]),
    [
      [0, 100],
      [98.5, 1.5],
    ],
  );
});

test("an op that reaches beyond what is drawn ends at its edges", () => {
  const { op } = layOutInstance({ step: null, op: span("launch", -500, 2000), host: [span("copy_call", 0, 100)], device: [], remarks: [] }, 100);
  assert.deepEqual([op?.x, op?.width], [0, 100]);
});

test("an instance without bars draws nothing", () => {
  const { host, device, op, extent_us } = layOutInstance({ step: null, op: null, host: [], device: [], remarks: [] }, 100);
  assert.deepEqual([host, device, op, extent_us], [[], [], null, 0]);
});
