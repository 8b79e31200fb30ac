import { formatCounted, formatShare, shareOf } from "../../format/number.ts";
import type { Matches } from "../../model/tree/icicle.ts";
import { SearchField } from "../SearchField.tsx";

interface TreeSearchProps {
  value: string;
  /** What it finds; null where nothing is looked for. */
  matches: Matches | null;
  /** The time of all, that of what is found is a share of it. */
  whole: number;
  onInput: (text: string) => void;
}

/** Finds nodes by name: how many there are, and how much of the time is theirs. */
export function TreeSearch({ value, matches, whole, onInput }: TreeSearchProps) {
  return <SearchField label="Find by name" placeholder="Find by name" value={value} found={foundText(matches, whole)} onInput={onInput} />;
}

function foundText(matches: Matches | null, whole: number): string {
  if (matches === null) return "";
  if (matches.found.size === 0) return "none";
  return `${formatCounted(matches.found.size, "match", "matches")}, ${formatShare(shareOf(matches.value, whole))}`;
}
