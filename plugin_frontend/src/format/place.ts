// Where code is, as text: paths lose their directories, never their name or line.

import type { SourceView } from "../api/types.ts";

export const LINE_NOT_RECORDED = "line not recorded";

/** The directory with its last slash, and the name. */
export function splitPath(path: string): { directory: string; name: string } {
  const cut = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
  return { directory: path.slice(0, cut), name: path.slice(cut) };
}

/** `file.py:12`, or `file.py` where no line is known. */
export function formatLocation(source: Pick<SourceView, "file" | "line">): string {
  return source.line === null ? source.file : `${source.file}:${source.line}`;
}

/** Ops as a chain, innermost first: `aten::copy_ ‹ aten::to`. */
export function formatChain(ops: readonly string[]): string {
  return ops.join(" ‹ ");
}

const DIRECTIONS: Record<string, string> = {
  HtoD: "host to GPU",
  DtoH: "GPU to host",
  DtoD: "GPU to GPU",
  HtoH: "host to host",
  PtoP: "GPU to another GPU",
};

/** A copy's direction and memory in words; the trace's own name where it has no words. */
export function formatDirection(direction: string, memory: string): string {
  const words = DIRECTIONS[direction] ?? direction;
  return memory === "" ? words : `${words}, ${memory}`;
}

const COMMIT_DIGITS = 10;

/** A commit, as short as one tells it from the others of a project. */
export function formatCommit(commit: string): string {
  return commit.slice(0, COMMIT_DIGITS);
}
