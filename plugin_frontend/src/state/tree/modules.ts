// The modules of the window shown: asked for when their view is opened.

import { computed, signal } from "@preact/signals";
import { fetchModules } from "../../api/modules.ts";
import type { WindowAddress } from "../../api/routes.ts";
import type { ModuleNode, ModulesAnswer, ModulesView } from "../../api/types.ts";
import { findNode, matchesOf, type TreeNode, treeOf } from "../../model/tree/icicle.ts";
import { closedAtFirst, moduleRows } from "../../model/tree/modules.ts";
import { ask } from "../loading/ask.ts";
import { adjust, place, visit } from "../place.ts";
import { revision, shownAddress } from "../runs/runs.ts";

const POLL_INTERVAL_MS = 500;

export const { answer: modulesAnswer, start } = ask<ModulesAnswer>(
  computed(() => (place.value.view === "modules" ? shownAddress.value : null)),
  (address, ended) => fetchModules(JSON.parse(address) as WindowAddress, ended),
  { revision, poll: { everyMs: POLL_INTERVAL_MS, unfinished: ({ state }) => state === "reading" } },
);

export const modules = computed<ModulesView | null>(() => (modulesAnswer.value.kind === "there" ? modulesAnswer.value.value.modules : null));

/** The GPU's time, unless there is none or the address says otherwise. */
export const showsHost = computed(() => place.value.time === "host" || modules.value?.has_device === false);

export function timeOfNode(node: ModuleNode): number {
  return showsHost.value ? node.host_us : (node.device_us ?? 0);
}

const root = computed<TreeNode | null>(() => {
  const nodes = (modules.value?.nodes ?? []).map((node) => ({ name: node.name || "all", parent: node.parent, folded: 0 }));
  return treeOf(nodes, (modules.value?.nodes ?? []).map(timeOfNode));
});

/** What fills the drawing's width. */
export const top = computed<TreeNode | null>(() => {
  if (root.value === null) return null;
  const { zoom } = place.value;
  return (zoom === null ? null : findNode(root.value, zoom)) ?? root.value;
});

export const matches = computed(() => (root.value === null || place.value.filter.trim() === "" ? null : matchesOf(root.value, place.value.filter)));

/** What was closed and opened by hand; null before that. */
const chosenClosed = signal<{ of: number; nodes: ReadonlySet<number> } | null>(null);

const closed = computed<ReadonlySet<number>>(() => {
  const chosen = chosenClosed.value;
  return chosen?.of === revision.value ? chosen.nodes : closedAtFirst(modules.value?.nodes ?? []);
});

export const rows = computed(() => moduleRows(modules.value?.nodes ?? [], top.value?.index ?? 0, closed.value, matches.value?.around ?? null));

export function toggle(index: number): void {
  const next = new Set(closed.peek());
  if (!next.delete(index)) next.add(index);
  chosenClosed.value = { of: revision.peek(), nodes: next };
}

export function zoomTo(index: number): void {
  if (index !== top.peek()?.index) visit({ zoom: index === 0 ? null : index });
}

/** Shows what lies around. */
export function zoomOut(): void {
  const above = top.peek()?.parent;
  if (above != null) zoomTo(above.index);
}

export function openModule(index: number): void {
  const change = { row: index, site: null, rule: null, health: false };
  if (place.peek().row === null) visit(change);
  else adjust(change);
}

export function showTime(time: "device" | "host"): void {
  adjust({ time });
}

/** Asks for the modules while the view is open; gives back what ends it. */
export function loadModules(): () => void {
  chosenClosed.value = null;
  return start();
}
