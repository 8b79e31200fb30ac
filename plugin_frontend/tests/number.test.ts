import assert from "node:assert/strict";
import { test } from "node:test";
import { formatChange, formatCount, formatCounted, formatDecimal, formatMean, formatShare, shareOf } from "../src/format/number.ts";

test("a decimal has one place below 1,000 and none from there on", () => {
  assert.equal(formatDecimal(55.34), "55.3");
  assert.equal(formatDecimal(999.94), "999.9");
  assert.equal(formatDecimal(999.96), "1,000");
  assert.equal(formatDecimal(1211.4), "1,211");
});

test("small is not zero, and zero is not small", () => {
  assert.equal(formatDecimal(0), "0");
  assert.equal(formatDecimal(0.099), "<0.1");
  assert.equal(formatDecimal(0.1), "0.1");
});

test("a negative figure has a true minus", () => {
  assert.equal(formatDecimal(-11), "\u221211.0");
  assert.equal(formatCount(-1211), "\u22121,211");
});

test("a share is whole from 10 %, else has one decimal", () => {
  assert.equal(formatShare(0.284), "28\u202f%");
  assert.equal(formatShare(0.0594), "5.9\u202f%");
  assert.equal(formatShare(0.0996), "10\u202f%");
  assert.equal(formatShare(0.0004), "<0.1\u202f%");
  assert.equal(formatShare(0), "0\u202f%");
});

test("what is missing is a word", () => {
  assert.equal(formatShare(null), "not recorded");
  assert.equal(formatShare(shareOf(0, 0)), "not recorded");
});

test("a mean of counts is whole where it is whole", () => {
  assert.equal(formatMean(4), "4");
  assert.equal(formatMean(4.25), "4.3");
});

test("counted words agree with their number", () => {
  assert.equal(formatCounted(1, "site"), "1 site");
  assert.equal(formatCounted(1200, "site"), "1,200 sites");
});

test("a change has its sign, and is none where it can't be said", () => {
  assert.equal(formatChange(-0.11), "\u221211\u202f%");
  assert.equal(formatChange(0.032), "+3.2\u202f%");
  assert.equal(formatChange(0.0004), "<0.1\u202f%");
  assert.equal(formatChange(146.7), "×148");
  assert.equal(formatChange(0), "0\u202f%");
  assert.equal(formatChange(null), "—");
});
