// A tree of times as boxes: one row a depth, each box as wide as its share of the one above it.

/** A node with its parts; `value` is its own and all of theirs. */
export interface TreeNode {
  /** Identifies it; null of boxes that stand for several nodes. */
  index: number;
  name: string;
  value: number;
  parent: TreeNode | null;
  /** The largest first. */
  children: readonly TreeNode[];
  /** How many nodes it stands for where the server folded them; else 0. */
  folded: number;
}

interface FlatNode {
  name: string;
  parent: number | null;
  folded: number;
}

export interface Box {
  /** What it draws; several where they are too narrow for boxes of their own. */
  nodes: readonly TreeNode[];
  depth: number;
  /** In px. */
  left: number;
  width: number;
}

/** Narrower boxes beside each other are drawn as one. */
const MIN_WIDTH = 3;

/** The tree of nodes that come after their parents; null of none. */
export function treeOf(nodes: readonly FlatNode[], values: readonly number[]): TreeNode | null {
  const made = nodes.map((node, index) => ({
    index,
    name: node.name,
    value: values[index] ?? 0,
    parent: null as TreeNode | null,
    children: [] as TreeNode[],
    folded: node.folded,
  }));
  for (const [index, { parent }] of nodes.entries()) {
    const [child, above] = [made[index], parent === null ? undefined : made[parent]];
    if (child === undefined || above === undefined || child.value <= 0) continue;
    child.parent = above;
    above.children.push(child);
  }
  // What stands for many small ones is last, however large it is.
  for (const { children } of made) children.sort((one, other) => Math.sign(one.folded) - Math.sign(other.folded) || other.value - one.value);
  return made[0] ?? null;
}

/** The boxes of a node and of what lies in it, row by row. */
export function boxesOf(top: TreeNode, width: number): Box[] {
  const boxes: Box[] = [{ nodes: [top], depth: 0, left: 0, width }];
  for (const box of boxes) {
    const [node] = box.nodes;
    if (node === undefined || box.nodes.length > 1 || node.value <= 0) continue;
    boxes.push(...boxesBelow(node, box));
  }
  return boxes;
}

function boxesBelow(node: TreeNode, { depth, left, width }: Box): Box[] {
  const scale = width / node.value;
  const wide = node.children.filter((child) => child.folded === 0 && child.value * scale >= MIN_WIDTH);
  const narrow = node.children.slice(wide.length);
  const boxes: Box[] = [];
  let from = left;
  for (const child of wide) {
    boxes.push({ nodes: [child], depth: depth + 1, left: from, width: child.value * scale });
    from += child.value * scale;
  }
  const rest = narrow.reduce((sum, child) => sum + child.value * scale, 0);
  if (rest >= MIN_WIDTH) boxes.push({ nodes: narrow, depth: depth + 1, left: from, width: rest });
  return boxes;
}

/** How many nodes a box stands for. */
export function countOf(box: Box): number {
  return box.nodes.reduce((sum, node) => sum + Math.max(node.folded, 1), 0);
}

export function timeOf(box: Box): number {
  return box.nodes.reduce((sum, node) => sum + node.value, 0);
}

/** What a node takes outside its parts; a rounding error is nothing. */
export function ownOf(node: TreeNode): number {
  const inside = node.children.reduce((sum, child) => sum + child.value, 0);
  const own = node.value - inside;
  return own > node.value * 1e-9 ? own : 0;
}

/** A part of this share says no more than what it lies in. */
const AS_GOOD_AS_WHOLE = 0.99;

/** The first node from the root on whose time does not lie in one part. */
export function forkOf(root: TreeNode): TreeNode {
  let node = root;
  for (;;) {
    const [largest] = node.children;
    if (largest === undefined || largest.children.length === 0 || largest.value < AS_GOOD_AS_WHOLE * root.value) return node;
    node = largest;
  }
}

/** From the root to the node. */
export function pathTo(node: TreeNode): TreeNode[] {
  return node.parent === null ? [node] : [...pathTo(node.parent), node];
}

export function findNode(root: TreeNode, index: number): TreeNode | null {
  const open = [root];
  for (const node of open) {
    if (node.index === index) return node;
    open.push(...node.children);
  }
  return null;
}

export interface Matches {
  /** Whose name holds the text. */
  found: ReadonlySet<number>;
  /** Those, and all that they lie in. */
  around: ReadonlySet<number>;
  /** Of those that lie in no other. */
  value: number;
}

/** The nodes whose name holds a text, in any case; none for no text. */
export function matchesOf(root: TreeNode, text: string): Matches {
  const wanted = text.trim().toLowerCase();
  const [found, around] = [new Set<number>(), new Set<number>()];
  let value = 0;
  const look = (node: TreeNode, inMatch: boolean): boolean => {
    const isMatch = node.name.toLowerCase().includes(wanted);
    if (isMatch) found.add(node.index);
    if (isMatch && !inMatch) value += node.value;
    // Every part is looked at, whatever was found in those before it.
    const inside = node.children.map((child) => look(child, inMatch || isMatch));
    const holds = isMatch || inside.includes(true);
    if (holds) around.add(node.index);
    return holds;
  };
  if (wanted !== "") look(root, false);
  return { found, around, value };
}

export type Direction = "up" | "down" | "left" | "right";

/** Where an arrow key leads from a box; the same box where there is none that way. */
export function boxBeside(boxes: readonly Box[], at: number, direction: Direction): number {
  const from = boxes[at];
  if (from === undefined) return 0;
  const middle = from.left + from.width / 2;
  if (direction === "up" || direction === "down") {
    const row = from.depth + (direction === "up" ? -1 : 1);
    const holds = (box: Box): boolean =>
      direction === "up" ? box.left <= middle && middle <= box.left + box.width : box.left >= from.left - 0.5 && box.left < from.left + from.width - 0.5;
    const next = boxes.findIndex((box) => box.depth === row && holds(box));
    return next < 0 ? at : next;
  }
  // Boxes of a row stand from the left to the right.
  const row = boxes.map((box, index) => ({ box, index })).filter(({ box }) => box.depth === from.depth);
  const place = row.findIndex(({ index }) => index === at);
  return row[place + (direction === "right" ? 1 : -1)]?.index ?? at;
}

/** As much of a name as fits, with an ellipsis; "" where nothing readable does. A layer keeps its number. */
export function fitted(name: string, width: number, letter: number): string {
  const letters = Math.floor(width / letter);
  if (name.length <= letters) return name;
  if (letters < 3) return "";
  const number = /_\d+$/.exec(name)?.[0] ?? "";
  const kept = letters - 1 - number.length;
  return kept < 1 ? `${name.slice(0, letters - 1)}…` : `${name.slice(0, kept)}…${number}`;
}
