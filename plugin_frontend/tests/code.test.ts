import assert from "node:assert/strict";
import { test } from "node:test";
import type { LineMark, Remark, SourceFile } from "../src/api/types.ts";
import { codeRange, codeRows, foldedRows, linesNear, placeOf, placeOfSite, remarkBeside } from "../src/model/source/code.ts";
import { findingRow } from "./rows.ts";

function mark(line: number): LineMark {
  return { line, kind: "line", function: "f", saving: null, note: "", sites: [], numbers: [], remarks: [] };
}

const REMARK: Remark = { finding: findingRow({}), number: null, edits: [] };

const FILE: SourceFile = {
  path: "train.py",
  library: "",
  saving: null,
  findings: 0,
  functions: [],
  code: [
    { first_line: 5, lines: ["a", "b"] },
    { first_line: 9, lines: ["c"] },
  ],
  marks: [mark(6), mark(20)],
};

test("lines come in their order, with gaps, and lines without code too", () => {
  const rows = codeRows(FILE).map((row) => (row.kind === "gap" ? `${row.first}-${row.last}` : `${row.kind} ${row.line}`));
  assert.deepEqual(rows, ["line 5", "line 6", "7-8", "line 9", "10-19", "bare 20"]);
});

test("a mark is at its line", () => {
  const marked = codeRows(FILE).filter((row) => row.kind === "line" && row.mark !== null);
  assert.deepEqual(
    marked.map((row) => row.kind === "line" && row.line),
    [6],
  );
});

test("the lines near one leave gaps and far ones out", () => {
  assert.deepEqual(
    linesNear(FILE, 6, 3).map((row) => row.kind === "line" && row.line),
    [5, 6, 9],
  );
});

test("a site without a line has no place, one without an exact line its first candidate", () => {
  const source = { files: [FILE], places: [{ site: 2, file: 0, line: 6 }], elsewhere: [], about: "", commit: null };
  assert.equal(placeOfSite(source, 2)?.file.path, "train.py");
  assert.equal(placeOfSite(source, 1), null);
  assert.deepEqual(placeOf({ file: "a.py", line: null, function: "", exact: false, candidates: [4, 8], code: "", doubt: "" }), { file: "a.py", line: 4 });
});

test("remarks are gone through file by file, and round", () => {
  const remarked = (path: string, ...lines: number[]): SourceFile => ({ ...FILE, path, marks: lines.map((line) => ({ ...mark(line), remarks: [REMARK] })) });
  const files = [remarked("b.py", 4, 30), remarked("a.py", 7)];
  assert.deepEqual(remarkBeside(files, { file: "b.py", line: 4 }, 1), { file: "b.py", line: 30 });
  assert.deepEqual(remarkBeside(files, { file: "b.py", line: 30 }, 1), { file: "a.py", line: 7 });
  assert.deepEqual(remarkBeside(files, { file: "a.py", line: 7 }, 1), { file: "b.py", line: 4 });
  assert.deepEqual(remarkBeside(files, { file: "b.py", line: 4 }, -1), { file: "a.py", line: 7 });
  assert.equal(remarkBeside([FILE], { file: "train.py", line: 6 }, 1), null);
});

test("long stretches far from everything known are folded until they are opened", () => {
  const long: SourceFile = { ...FILE, code: [{ first_line: 1, lines: Array<string>(40).fill("x") }], marks: [mark(20)] };
  const shown = (opened: number[], current: number | null) =>
    foldedRows(codeRows(long), new Set(opened), current).flatMap((row) => (row.kind === "fold" ? [`${row.first}-${row.last}`] : []));
  assert.deepEqual(shown([], null), ["1-13", "27-40"]);
  assert.deepEqual(shown([27], null), ["1-13"]);
  assert.deepEqual(shown([], 30), ["1-13"]);
  assert.deepEqual(codeRange(long), { first: 1, last: 40 });
});

test("short stretches stay, and no line is lost beside a fold", () => {
  const file: SourceFile = { ...FILE, code: [{ first_line: 1, lines: Array<string>(20).fill("x") }], marks: [mark(12)] };
  assert.equal(foldedRows(codeRows(file), new Set(), null).length, 20);
  const longer: SourceFile = { ...file, code: [{ first_line: 1, lines: Array<string>(25).fill("x") }] };
  assert.equal(foldedRows(codeRows(longer), new Set(), null).length, 19);
});
