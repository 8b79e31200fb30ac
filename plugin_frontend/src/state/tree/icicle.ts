// The flame graph of the window shown: what it is nested by, whose time it shows, and what fills its width.

import { computed, signal } from "@preact/signals";
import { fetchIcicle } from "../../api/icicle.ts";
import type { WindowAddress } from "../../api/routes.ts";
import type { IcicleAnswer, IcicleView } from "../../api/types.ts";
import { findNode, forkOf, matchesOf, type TreeNode, treeOf } from "../../model/tree/icicle.ts";
import { ask } from "../loading/ask.ts";
import { adjust, place, visit } from "../place.ts";
import { revision, shownAddress } from "../runs/runs.ts";

const POLL_INTERVAL_MS = 500;
/** The graph of another kind stays so long. */
const PATIENCE_MS = 300;

const asked = computed<string | null>(() => (shownAddress.value === null ? null : JSON.stringify([JSON.parse(shownAddress.value), place.value.by ?? ""])));

export const { answer: icicleAnswer, start: loadIcicle } = ask<IcicleAnswer>(
  asked,
  (key, ended) => {
    const [address, kind] = JSON.parse(key) as [WindowAddress, string];
    return fetchIcicle(address, kind, ended);
  },
  { revision, poll: { everyMs: POLL_INTERVAL_MS, unfinished: ({ state }) => state === "reading" }, patienceMs: PATIENCE_MS },
);

export const icicle = computed<IcicleView | null>(() => (icicleAnswer.value.kind === "there" ? icicleAnswer.value.value.icicle : null));

/** The GPU's time, unless there is none or the address says otherwise. */
export const showsHost = computed(() => place.value.time === "host" || icicle.value?.has_device === false);

const root = computed<TreeNode | null>(() => {
  const nodes = icicle.value?.nodes ?? [];
  return treeOf(
    nodes,
    nodes.map((node) => (showsHost.value ? node.host_us : node.device_us)),
  );
});

/** What fills the width: what was opened last; at first all that calls have in common is left out. */
export const top = computed<TreeNode | null>(() => {
  if (root.value === null) return null;
  const { zoom } = place.value;
  return (zoom === null ? null : findNode(root.value, zoom)) ?? forkOf(root.value);
});

/** Looked for among the names. */
export const wanted = signal("");

export const matches = computed(() => (root.value === null || wanted.value.trim() === "" ? null : matchesOf(root.value, wanted.value)));

/** The time of all. */
export const whole = computed(() => root.value?.value ?? 0);

export function zoomTo(node: TreeNode): void {
  if (node.index !== top.peek()?.index) visit({ zoom: node.index });
}

/** Shows what lies around. */
export function zoomOut(): void {
  const above = top.peek()?.parent;
  if (above != null) zoomTo(above);
}

export function showBy(kind: IcicleView["kind"]): void {
  adjust({ by: kind, zoom: null });
}

export function showTime(time: "device" | "host"): void {
  adjust({ time, zoom: null });
}
