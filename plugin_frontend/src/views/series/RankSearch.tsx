import { SearchField } from "../../widgets/SearchField.tsx";

interface RankSearchProps {
  search: string;
  /** How many it leaves. */
  left: string;
  onSearch: (search: string) => void;
}

/** Above a table of ranks. */
export function RankSearch({ search, left, onSearch }: RankSearchProps) {
  return (
    <div class="tool">
      <SearchField label="Find ranks" placeholder="Find by rank or worker" value={search} onInput={onSearch} />
      <span class="right s12 t3 nw" role="status">
        {left}
      </span>
    </div>
  );
}
