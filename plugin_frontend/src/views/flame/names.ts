// What nodes of the flame graph are called where there is little room.

import { formatCounted } from "../../format/number.ts";
import { splitPath } from "../../format/place.ts";
import type { TreeNode } from "../../model/tree/icicle.ts";

const FRAME = /^(.+)\((\d+)\): (.+)$/s;
const BACKWARD = "autograd::engine::evaluate_function: ";

/** A function before its file, which loses its folders. */
export function shortName(node: TreeNode): string {
  if (node.folded > 0) return `${formatCounted(node.folded, "smaller part")}`;
  if (node.parent === null) return "all";
  const [, file, line, name] = FRAME.exec(node.name) ?? [];
  if (file !== undefined) return `${name} (${splitPath(file).name}:${line})`;
  return node.name.startsWith(BACKWARD) ? node.name.slice(BACKWARD.length) : node.name;
}
