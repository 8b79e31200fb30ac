import assert from "node:assert/strict";
import { test } from "node:test";
import type { TableColumn, TableView } from "../src/api/types.ts";
import { comparedRows } from "../src/model/tables/comparedRows.ts";

function column(key: string, cells: Pick<TableColumn, "texts" | "numbers">): TableColumn {
  return { key, head: key, about: "", kind: "us", is_first: true, scale: 1, ...cells };
}

test("the rows, with one for all that are not listed, add up to the windows", () => {
  const numbers = (values: number[]): Pick<TableColumn, "texts" | "numbers"> => ({ texts: null, numbers: values });
  const texts = (values: string[]): Pick<TableColumn, "texts" | "numbers"> => ({ texts: values, numbers: null });
  const view = {
    columns: [
      column("name", texts(["mm", "add", "view", "copy"])),
      column("state", texts(["both", "new", "both", "gone"])),
      column("calls_before", numbers([1, 0, 5, 1])),
      column("calls_after", numbers([1, 2, 5, 0])),
      column("us_before", numbers([50, 0, 0, 4])),
      column("us_after", numbers([20, 12, 0, 0])),
      column("difference_us", numbers([-30, 12, 0, -4])),
      column("share", numbers([30 / 22, -12 / 22, 0, 4 / 22])),
    ],
  } as unknown as TableView;
  const { rows, rest, all } = comparedRows(view, 2);
  assert.deepEqual(
    rows.map((row) => row.name),
    ["mm", "add"],
  );
  assert.deepEqual([rest?.name, rest?.beforeUs, rest?.differenceUs], ["2", 4, -4]);
  assert.deepEqual([all.beforeUs, all.afterUs, all.differenceUs], [54, 32, -22]);
  assert.ok(Math.abs((all.share ?? 0) - 1) < 1e-9);
  assert.equal(comparedRows(view, 4).rows.length, 3);
});
