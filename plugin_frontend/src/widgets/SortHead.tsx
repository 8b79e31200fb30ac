interface SortHeadProps {
  text: string;
  /** Names stand as they are listed, figures with the largest first. */
  isName: boolean;
  isSorted: boolean;
  onSort: () => void;
}

/** The head of a column that a table can be sorted by. */
export function SortHead({ text, isName, isSorted, onSort }: SortHeadProps) {
  return (
    <th scope="col" class={isName ? "" : "num"} {...(isSorted ? { "aria-sort": isName ? "ascending" : "descending" } : {})}>
      <button type="button" onClick={onSort}>
        {text} <span aria-hidden="true">{!isSorted ? "" : isName ? "↑" : "↓"}</span>
      </button>
    </th>
  );
}
