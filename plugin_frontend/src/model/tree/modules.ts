// The tree of modules as rows of a table.

import type { ModuleNode } from "../../api/types.ts";

export interface ModuleRow {
  /** Of its node. */
  index: number;
  /** 0 of what lies in the top directly. */
  depth: number;
  hasInner: boolean;
  isOpen: boolean;
}

/** So many rows are open at first, depth by depth. */
const MOST_OPEN = 40;

/**
 * The rows inside `top`, each before what lies in it.
 *
 * @param closed Nodes whose inner ones are not listed.
 * @param listed Nodes that a search leaves; null lists all. What it leaves is open.
 */
export function moduleRows(nodes: readonly ModuleNode[], top: number, closed: ReadonlySet<number>, listed: ReadonlySet<number> | null): ModuleRow[] {
  const depths = depthsIn(nodes, top);
  const hidden = new Set<number>();
  const rows: ModuleRow[] = [];
  for (const [index, node] of nodes.entries()) {
    const depth = depths[index] ?? -1;
    if (depth < 0 || (listed !== null && !listed.has(index))) continue;
    const isHidden = node.parent !== null && node.parent !== top && (hidden.has(node.parent) || (listed === null && closed.has(node.parent)));
    if (isHidden) {
      hidden.add(index);
      continue;
    }
    // They come depth first: what lies in a node comes right after it.
    const hasInner = nodes[index + 1]?.parent === index;
    rows.push({ index, depth, hasInner, isOpen: listed !== null || !closed.has(index) });
  }
  return rows;
}

/** How deep each node lies in `top`; -1 of those that do not. */
function depthsIn(nodes: readonly ModuleNode[], top: number): number[] {
  const depths: number[] = [];
  for (const { parent } of nodes) {
    const around = parent === null ? -1 : (depths[parent] ?? -1);
    depths.push(parent === top ? 0 : around < 0 ? -1 : around + 1);
  }
  return depths;
}

/** Nodes that are closed at first: as many depths are open as fit on a screen. */
export function closedAtFirst(nodes: readonly ModuleNode[]): Set<number> {
  const depths = depthsIn(nodes, 0);
  let open = 0;
  while (depths.some((depth) => depth > open) && depths.filter((depth) => depth >= 0 && depth <= open + 1).length <= MOST_OPEN) open += 1;
  return new Set(depths.flatMap((depth, index) => (depth >= open ? [index] : [])));
}
