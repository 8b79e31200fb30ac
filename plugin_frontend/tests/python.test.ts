import assert from "node:assert/strict";
import { test } from "node:test";
import { cutLines, cutPython } from "../src/model/source/python.ts";

function kinds(line: string): string[] {
  return cutPython(line, "").parts.map(({ kind, text }) => `${kind} ${text}`);
}

test("a line is cut into what is colored, and nothing of it is lost", () => {
  const line = '    if x1 > 0.5:  # "no" text';
  assert.deepEqual(kinds(line), ["plain     ", "keyword if", "plain  x1 > ", "number 0.5", "plain :  ", 'comment # "no" text']);
  assert.equal(
    cutPython(line, "")
      .parts.map(({ text }) => text)
      .join(""),
    line,
  );
});

test("a text can hold quotes, hashes and names of keywords", () => {
  assert.deepEqual(kinds(String.raw`f"a \" # if" + 'b'`), [String.raw`string f"a \" # if"`, "plain  + ", "string 'b'"]);
});

test("a text of several lines is one on each of them", () => {
  const [first, second, third] = cutLines(['x = """one', "if two", 'three""" if y']);
  assert.deepEqual(first?.at(-1), { kind: "string", text: '"""one' });
  assert.deepEqual(second, [{ kind: "string", text: "if two" }]);
  assert.deepEqual(
    third?.map(({ kind }) => kind),
    ["string", "plain", "keyword", "plain"],
  );
});

test("names of any script are names", () => {
  assert.deepEqual(kinds("损失 = μ"), ["plain 损失 = μ"]);
});
