interface NothingFoundProps {
  /** What the table lists, in the singular. */
  of: string;
  rows: number;
  filter: string;
}

/** Beneath a table that a filter has emptied; one that was empty before has its own words. */
export function NothingFound({ of, rows, filter }: NothingFoundProps) {
  if (rows > 0 || filter === "") return null;
  return <p class="nothing-found t2">No {of} has these words: shorten the filter, or empty it.</p>;
}
