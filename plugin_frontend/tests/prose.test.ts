import assert from "node:assert/strict";
import { test } from "node:test";
import { splitInline, splitProse } from "../src/model/prose.ts";

test("blank lines part paragraphs, and single breaks do not", () => {
  assert.deepEqual(splitProse("one\ntwo\n\nthree"), [
    { kind: "text", text: "one two" },
    { kind: "text", text: "three" },
  ]);
});

test("indented lines are code, and keep their own indent and blank lines", () => {
  assert.deepEqual(splitProse("text\n\n    for x in y:\n        z()\n\n    done()\n\nmore"), [
    { kind: "text", text: "text" },
    { kind: "code", text: "for x in y:\n    z()\n\ndone()" },
    { kind: "text", text: "more" },
  ]);
});

test("nothing is no block", () => assert.deepEqual(splitProse("\n \n"), []));

test("backticks in pairs make code, a lone one stays", () => {
  assert.deepEqual(splitInline("call `x.item()` once"), [
    { kind: "text", text: "call " },
    { kind: "code", text: "x.item()" },
    { kind: "text", text: " once" },
  ]);
  assert.deepEqual(splitInline("a ` b"), [{ kind: "text", text: "a ` b" }]);
});

test("double stars in pairs make bold text, a lone pair and a power stay", () => {
  assert.deepEqual(splitInline("**At most** `a ** b`"), [
    { kind: "strong", text: "At most" },
    { kind: "text", text: " " },
    { kind: "code", text: "a ** b" },
  ]);
  assert.deepEqual(splitInline("2 ** 3 ** 4"), [{ kind: "text", text: "2 ** 3 ** 4" }]);
  assert.deepEqual(splitInline("**open"), [{ kind: "text", text: "**open" }]);
});

test("a mark of direction in a name is shown, and moves nothing", () => {
  assert.deepEqual(splitInline("`aten::mm\u202eevil\u2066` takes 84 %."), [
    { kind: "code", text: "aten::mm\\u{202e}evil\\u{2066}" },
    { kind: "text", text: " takes 84 %." },
  ]);
});

test("words from right to left stand alone, so that the figures beside them stay where they are", () => {
  assert.deepEqual(splitInline("in \u05e9\u05dc \u05e2\u05dd, 84 %"), [
    { kind: "text", text: "in " },
    { kind: "right-to-left", text: "\u05e9\u05dc \u05e2\u05dd" },
    { kind: "text", text: ", 84 %" },
  ]);
});
