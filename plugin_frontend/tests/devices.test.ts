import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDevices } from "../src/format/devices.ts";

test("equal devices are counted, others listed in their order", () => {
  assert.equal(formatDevices([]), "");
  assert.equal(formatDevices(["A100"]), "A100");
  assert.equal(formatDevices(["H100", "A100", "H100"]), "2\u202f×\u202fH100, A100");
});
