// What ranks sent one another, as a matrix.

import type { PeerRow } from "../../api/types.ts";

export interface PeerMatrix {
  /** Ranks that sent, and those that received, ascending. */
  sources: number[];
  destinations: number[];
  cell: (source: number, destination: number) => PeerRow | undefined;
  /** What the fullest cell holds: bytes, or messages where the size of any was not recorded. */
  most: number;
  of: "bytes" | "count";
}

/** Rows and columns beyond which a list is easier to read. */
export const MOST_RANKS = 24;

export function peerMatrix(peers: readonly PeerRow[]): PeerMatrix {
  const of = peers.every((row) => row.bytes !== null) ? "bytes" : "count";
  const cells = new Map(peers.map((row) => [`${row.source} ${row.destination}`, row]));
  return {
    sources: distinct(peers.map((row) => row.source)),
    destinations: distinct(peers.map((row) => row.destination)),
    cell: (source, destination) => cells.get(`${source} ${destination}`),
    most: Math.max(...peers.map((row) => row[of] ?? 0), 0),
    of,
  };
}

function distinct(ranks: readonly number[]): number[] {
  return [...new Set(ranks)].sort((one, other) => one - other);
}
