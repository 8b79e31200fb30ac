import { COMMUNICATING, COMPUTING, COPYING, type Fill } from "./causes.ts";
import { Key } from "./Key.tsx";

/** A mark, and what it stands for. */
export type LegendEntry = readonly [Fill, string];

/** What a GPU does in a step besides being idle; a bar without communication needs no word for it. */
export function deviceEntries(communicates = true): LegendEntry[] {
  const communication: LegendEntry[] = communicates ? [[COMMUNICATING, "communication nothing covers"]] : [];
  return [[COMPUTING, "computing"], ...communication, [COPYING, "copying"]];
}

/** Entries one after the other. */
export function Legend({ entries }: { entries: readonly LegendEntry[] }) {
  return (
    <>
      {entries.map(([fill, name]) => (
        <NamedKey key={name} fill={fill} name={name} />
      ))}
    </>
  );
}

/** One entry, for a table whose rows explain the colors as well. */
export function NamedKey({ fill, name }: { fill: Fill; name: string }) {
  return (
    <span class="legend">
      <Key fill={fill} />
      {name}
    </span>
  );
}
