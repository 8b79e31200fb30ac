import { place } from "../../state/place.ts";
import { currentSite, sortBy, visitSite } from "../../state/sites/sites.ts";
import type { Column, TableScale } from "./siteColumns.tsx";
import type { ListRow } from "./siteRows.ts";

interface HeadsProps {
  columns: readonly Column[];
  scale: TableScale;
}

/** The heads; each sorts by its column. */
export function Heads({ columns, scale }: HeadsProps) {
  const { sort, descending } = place.value;
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map(({ key, head, className }) => (
          <th key={key} class={className} scope="col" aria-sort={key !== sort ? "none" : descending ? "descending" : "ascending"}>
            <button type="button" onClick={() => sortBy(key)}>
              {head(scale)}
              {key === sort && <span aria-hidden="true">{descending ? "↓" : "↑"}</span>}
            </button>
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface TableRowProps extends HeadsProps {
  row: ListRow;
  /** Its place among all rows, drawn or not. */
  at: number;
}

/** A group's title, or a site that a click opens. */
export function TableRow({ row, at, columns, scale }: TableRowProps) {
  // The row of the heads is the first.
  const rowIndex = at + 2;
  if (row.kind === "group") {
    return (
      <tr class="grp" aria-rowindex={rowIndex}>
        <td colSpan={columns.length}>
          <b>
            <bdi>{row.title}</bdi>
          </b>{" "}
          · {row.detail}
        </td>
      </tr>
    );
  }
  const { site, first } = row;
  const isCurrent = currentSite.value === site.index;
  return (
    <tr
      aria-rowindex={rowIndex}
      aria-selected={isCurrent}
      tabIndex={isCurrent || (currentSite.value === null && first) ? 0 : -1}
      data-site={site.index}
      onClick={() => visitSite(site.index)}
    >
      {columns.map(({ key, className, cell }) => (
        <td key={key} class={className}>
          {cell(site, scale)}
        </td>
      ))}
    </tr>
  );
}

/** As high as the rows that are not drawn. */
export function Gap({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  return (
    <tr class="gap" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  );
}
