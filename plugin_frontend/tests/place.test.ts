import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDirection, formatLocation, splitPath } from "../src/format/place.ts";
import { inView, parsePlace, printPlace, START } from "../src/model/place.ts";

test("a place survives its own address", () => {
  const place = {
    ...START,
    run: "a b/ü&=#",
    worker: "h_1",
    window: "h_1.12.json",
    metric: "wait",
    beside: ["a, b", ""],
    site: 7,
    rule: "SYN01",
    view: "copies" as const,
    filter: "loss 100%",
    step: 3,
    selected: "e12",
    fromNs: 0,
    toNs: 123456789012,
    scope: "trace" as const,
    columns: ["calls", "share"],
    ranked: "calls.up",
    row: 4,
  };
  assert.deepEqual(parsePlace(printPlace(place)), place);
});

test("another view is opened without the columns, order and row of a table", () => {
  const place = { ...START, view: "operators" as const, columns: ["calls"], ranked: "calls", row: 4, filter: "mm" };
  assert.deepEqual(inView(place, "kernels"), { ...START, view: "kernels", filter: "mm" });
  assert.deepEqual(inView(place, "operators"), place);
});

test("the start is the bare address, and each way round", () => {
  assert.equal(printPlace(START), "#tbprof");
  assert.deepEqual(parsePlace("#tbprof"), START);
  assert.deepEqual(parsePlace(""), START);
});

test("the log directory itself is a run, and no run is none", () => {
  assert.equal(parsePlace("#tbprof&p.tbprof.run=")?.run, "");
  assert.equal(parsePlace("#tbprof")?.run, null);
});

test("another tab's address is not ours", () => {
  assert.equal(parsePlace("#scalars&p.tbprof.run=a"), null);
});

test("values that make no sense are left out", () => {
  const place = parsePlace("#tbprof&p.tbprof.site=-1&p.tbprof.sort=color&p.tbprof.view=nothing&p.tbprof.run=%E0%A4%A&q&=");
  assert.deepEqual(place, START);
});

test("the order is kept where it is turned round", () => {
  const place = parsePlace(printPlace({ ...START, sort: "wait", descending: false }));
  assert.equal(place?.sort, "wait");
  assert.equal(place?.descending, false);
});

test("a path is cut before its name on either system", () => {
  assert.deepEqual(splitPath("/home/ana/train.py"), { directory: "/home/ana/", name: "train.py" });
  assert.deepEqual(splitPath("C:\\ana\\train.py"), { directory: "C:\\ana\\", name: "train.py" });
  assert.deepEqual(splitPath("train.py"), { directory: "", name: "train.py" });
});

test("a location without a line is the file", () => {
  const source = { file: "train.py", line: null, function: "step", exact: false, candidates: [] };
  assert.equal(formatLocation(source), "train.py");
  assert.equal(formatLocation({ ...source, line: 12 }), "train.py:12");
});

test("a direction without words keeps the trace's own", () => {
  assert.equal(formatDirection("DtoH", "pageable"), "GPU to host, pageable");
  assert.equal(formatDirection("XtoY", ""), "XtoY");
});
