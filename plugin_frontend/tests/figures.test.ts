import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { formatDuration, formatDurationIn } from "../src/format/duration.ts";
import { formatCounted, formatMean, formatShare } from "../src/format/number.ts";
import { formatSize } from "../src/format/size.ts";

/** What Python makes of the same numbers; `npm test` runs in the folder of the frontend. */
const TABLE = JSON.parse(readFileSync("../tests/data/figures.json", "utf-8")) as Record<string, [number, string][]>;

const FORMATS: Record<string, (value: number) => string> = {
  duration: formatDuration,
  milliseconds: (us) => formatDurationIn(us, "ms"),
  share: formatShare,
  size: formatSize,
  mean: formatMean,
  count: (number) => formatCounted(number, "site"),
};

test("the table has each kind of figure", () => {
  assert.deepEqual(Object.keys(TABLE).sort(), Object.keys(FORMATS).sort());
});

for (const [kind, format] of Object.entries(FORMATS)) {
  test(`a ${kind} reads as in a sentence`, () => {
    const rows = TABLE[kind] ?? [];
    assert.ok(rows.length > 50);
    assert.deepEqual(
      rows.map(([value]) => [value, format(value)]),
      rows,
    );
  });
}
