import assert from "node:assert/strict";
import { test } from "node:test";
import type { RooflinePoint, RooflineView } from "../src/api/types.ts";
import { layOutRoofline, partOf, worstPoints } from "../src/model/charts/roofline.ts";

function point(flopsPerByte: number, tflops: number, above: number | null): RooflinePoint {
  return {
    name: "aten::mm",
    shapes: "",
    kind: "",
    row: 0,
    calls: 1,
    device_us: 10,
    share: 1,
    flops_per_byte: flopsPerByte,
    tflops,
    tb_s: 1,
    roof: 0,
    bound: "computing",
    share_of_limit: 0.5,
    above_limit_us: above,
  };
}

const VIEW: RooflineView = {
  scope: "trace",
  marks_steps: false,
  device: "H100 SXM",
  source: "",
  memory_tb_s: 3.35,
  roofs: [{ label: "bfloat16, matrix units", tflops: 989.5, from_flops_per_byte: 295 }],
  sentence: "",
  missing: "",
  device_us: 30,
  covered_us: 30,
  points: [point(100, 40, 3), point(0, 0, 5), point(2, 1e-7, null)],
  more_points: 0,
  more_us: 0,
};

test("the axes hold all roofs and points, within a few powers of ten", () => {
  const layout = layOutRoofline(VIEW);
  assert.deepEqual(layout?.across, { first: 0, last: 3 });
  assert.deepEqual(layout?.upwards, { first: -3, last: 3 });
  assert.equal(partOf({ first: -3, last: 3 }, 1), 0.5);
  assert.equal(partOf({ first: -3, last: 3 }, 1e-7), 0);
});

test("what only moves has no place on the axes, and is listed with the others", () => {
  assert.equal(layOutRoofline(VIEW)?.points.length, 2);
  assert.deepEqual(
    worstPoints(VIEW, 5).map(({ above_limit_us }) => above_limit_us),
    [5, 3],
  );
  assert.equal(layOutRoofline({ ...VIEW, points: [] }), null);
});
