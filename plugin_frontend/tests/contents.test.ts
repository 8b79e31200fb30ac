import assert from "node:assert/strict";
import { test } from "node:test";
import { watchContents } from "../src/model/runs/contents.ts";

test("files that stay the same are never said to have changed", () => {
  const look = watchContents();
  assert.deepEqual(
    ["1", "1", "1"].map((content) => look("A", content)),
    ["same", "same", "same"],
  );
});

test("a file that is being written has changed once it rests, and only once", () => {
  const look = watchContents();
  assert.deepEqual(
    ["1", "2", "3", "3", "3"].map((content) => look("A", content)),
    ["same", "changing", "changing", "changed", "same"],
  );
});

test("each change of several is said", () => {
  const look = watchContents();
  assert.deepEqual(
    ["1", "2", "2", "1", "1"].map((content) => look("A", content)),
    ["same", "changing", "changed", "changing", "changed"],
  );
});

test("files that are as before again have not changed", () => {
  const look = watchContents();
  assert.deepEqual(
    ["1", "2", "1", "1"].map((content) => look("A", content)),
    ["same", "changing", "same", "same"],
  );
});

test("what is not known changes nothing, and a file that comes back is compared with what was loaded", () => {
  const look = watchContents();
  assert.deepEqual(
    [null, "1", null, "1", null, "2", "2"].map((content) => look("A", content)),
    ["same", "same", "same", "same", "same", "changing", "changed"],
  );
});

test("a window that is opened again is compared with what it was when it was left", () => {
  const look = watchContents();
  look("A", "1");
  assert.equal(look("B", "2"), "same");
  assert.equal(look("A", "2"), "changing");
  assert.equal(look("A", "2"), "changed");
  assert.equal(look("B", "2"), "same");
});
