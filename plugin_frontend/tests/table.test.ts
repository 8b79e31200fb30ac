import assert from "node:assert/strict";
import { test } from "node:test";
import type { TableColumn, TableView } from "../src/api/types.ts";
import { listedRows, parseRanking, printRanking, rankedBy, rowBeside, shownColumns, widthOf } from "../src/model/tables/table.ts";

function column(key: string, cells: Partial<TableColumn>): TableColumn {
  return { key, head: key, about: "", kind: "count", is_first: true, texts: null, numbers: null, scale: 1, ...cells };
}

const VIEW: TableView = {
  table: "operators",
  by: "name",
  scope: "trace",
  marks_steps: false,
  headline: "",
  about: "",
  choices: [],
  count: 4,
  columns: [
    column("name", { kind: "text", texts: ["aten::mm", "aten::add", "aten::mm", null] }),
    column("source", { kind: "text", texts: ["train.py(3): Step", null, "eval.py(9): run", null] }),
    column("calls", { numbers: [4, null, 9, 4] }),
    column("host_self_us", { kind: "us", numbers: [1, 2, 3, 4] }),
    column("min_us", { kind: "us", numbers: [1, 2, 3, 4], is_first: false }),
  ],
  device_us: null,
  without_row_us: null,
  histogram: null,
  sequences: [],
};

const rows = (filter: string, ranked: string | null): number[] => [...listedRows(VIEW, filter, parseRanking(ranked))];

test("rows come by importance, and by a column with what is not known last", () => {
  assert.deepEqual(rows("", null), [0, 1, 2, 3]);
  assert.deepEqual(rows("", "calls"), [2, 0, 3, 1]);
  assert.deepEqual(rows("", "calls.up"), [0, 3, 2, 1]);
  assert.deepEqual(rows("", "name.up"), [1, 0, 2, 3]);
  assert.deepEqual(rows("", "nothing"), [0, 1, 2, 3]);
});

test("a filter leaves the rows that hold all its words, in any column and case", () => {
  assert.deepEqual(rows("MM", null), [0, 2]);
  assert.deepEqual(rows("mm STEP", null), [0]);
  assert.deepEqual(rows("absent", "calls"), []);
});

test("figures begin with the largest, texts with A, and a second click turns round", () => {
  const [name, , calls] = VIEW.columns as [TableColumn, TableColumn, TableColumn];
  assert.deepEqual(rankedBy(calls, null), { key: "calls", descending: true });
  assert.deepEqual(rankedBy(name, null), { key: "name", descending: false });
  assert.deepEqual(rankedBy(calls, { key: "calls", descending: true }), { key: "calls", descending: false });
  for (const text of ["calls", "calls.up"]) assert.equal(printRanking(parseRanking(text) ?? { key: "", descending: true }), text);
});

test("a table begins with columns that fit, and keeps what was chosen", () => {
  const keys = (chosen: string[] | null, width: number): string[] => shownColumns(VIEW, chosen, width).map(({ key }) => key);
  assert.deepEqual(keys(null, 2000), ["name", "source", "calls", "host_self_us"]);
  assert.deepEqual(keys(null, widthOf(VIEW.columns.slice(0, 3))), ["name", "source", "calls"]);
  assert.deepEqual(keys(["min_us"], 100), ["name", "min_us"]);
});

test("the keys move through the list as it is shown", () => {
  const listed = listedRows(VIEW, "", parseRanking("calls"));
  assert.equal(rowBeside(listed, null, 1), 2);
  assert.equal(rowBeside(listed, 2, 1), 0);
  assert.equal(rowBeside(listed, 2, -1), 2);
  assert.equal(rowBeside(listed, 1, 1), 1);
  assert.equal(rowBeside(new Uint32Array(), null, 1), null);
});

test("100,000 rows are filtered and sorted while a person blinks", () => {
  const count = 100_000;
  const names = Array.from({ length: count }, (_, at) => `aten::operator_${(at * 7919) % count}`);
  const numbers = Array.from({ length: count }, (_, at) => (at * 104_729) % count);
  const view = { ...VIEW, columns: [column("name", { kind: "text", texts: names }), column("calls", { numbers })] };
  const start = performance.now();
  assert.equal(listedRows(view, "", { key: "calls", descending: true }).length, count);
  assert.equal(listedRows(view, "operator_99", null).length, 1111);
  assert.ok(performance.now() - start < 3_000);
});
