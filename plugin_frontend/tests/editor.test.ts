import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_TEMPLATE, editorLink, templateProblem } from "../src/model/source/editor.ts";

test("a link has the path and the line in it", () => {
  assert.equal(editorLink(DEFAULT_TEMPLATE, "/home/me/a b/模型.py", 12), "vscode://file//home/me/a%20b/%E6%A8%A1%E5%9E%8B.py:12");
  assert.equal(editorLink("idea://open?file=/src/{path}&line={line}", "train.py", null), "idea://open?file=/src/train.py&line=1");
});

test("a path can't end its part of the link, nor name another place in it", () => {
  assert.equal(editorLink(DEFAULT_TEMPLATE, "a?b#c&{line}$&.py", 3), "vscode://file/a%3Fb%23c%26%7Bline%7D%24%26.py:3");
});

test("only schemes of editors are taken, and only with a path", () => {
  for (const template of ["javascript://{path}", "javascript:alert(1)//{path}", "file://{path}", "https://host/{path}", "VSCODE://{path}", "{path}", ""]) {
    assert.notEqual(templateProblem(template), "");
    assert.equal(editorLink(template, "train.py", 1), null);
  }
  assert.equal(templateProblem("vscode://file/train.py"), "It must contain {path}");
});
