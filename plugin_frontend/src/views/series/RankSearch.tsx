import { Icon } from "../../widgets/Icon.tsx";

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
      <label class="field filter">
        <Icon name="search" />
        <span class="sr">Find ranks</span>
        <input id="filter" placeholder="Find by rank or worker" value={search} onInput={(event) => onSearch(event.currentTarget.value)} />
        <span class="kbd" aria-hidden="true">
          /
        </span>
      </label>
      <span class="right s12 t3 nw" role="status">
        {left}
      </span>
    </div>
  );
}
