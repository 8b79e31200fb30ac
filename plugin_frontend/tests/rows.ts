// Sites as the server sends them, each with only what its test is about.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FindingRow, SiteRow, WindowAnswer } from "../src/api/types.ts";

const SITE: SiteRow = {
  ...recordedSite(),
  index: 0,
  where: "",
  op_before: null,
  op_after: null,
  what: "copy",
  direction: "DtoH",
  memory: "pageable",
  calls: [],
  ops: [],
  source: null,
  library: null,
  callers: [],
  label: null,
  module: null,
  count: 1,
  blocking: 1,
  per_step: [1],
  wait_per_step_us: [0],
  bytes: 4,
  wait_us: 0,
  wait_net_us: 0,
  explained_us: 0,
  starve_us: 0,
  share_of_steps: null,
  device_us: null,
  exposed_us: null,
  bytes_per_s: null,
  non_blocking: null,
  findings: [],
  instance: null,
};

const FINDING: FindingRow = {
  rule: "SYN01",
  name: "scalar-readback",
  title: "A scalar is read back",
  action: "Read it later",
  severity: "high",
  severity_reason: "",
  removal: "defer",
  confidence: "high",
  count: 1,
  saving: null,
  worth: "",
  what: "",
  why: "",
  fix: { summary: "", before: "", after: "", caveat: "" },
  fingerprint: "",
  sites: [],
  place: "",
  note: "",
};

/** What no test is about is as a server once sent it. */
function recordedSite(): SiteRow {
  const answers = JSON.parse(readFileSync(join("dev", "answers", "window.json"), "utf-8")) as Record<string, WindowAnswer>;
  const sites = Object.values(answers).flatMap(({ window }) => window?.sites ?? []);
  if (sites[0] === undefined) throw new Error("no site was recorded");
  return sites[0];
}

export function siteRow(about: Partial<SiteRow>): SiteRow {
  return { ...SITE, ...about };
}

export function findingRow(about: Partial<FindingRow>): FindingRow {
  return { ...FINDING, ...about };
}
