import type { TableView } from "../../api/types.ts";
import { formatCount, formatCounted } from "../../format/number.ts";
import { rowCount } from "../../model/tables/table.ts";
import { adjust, place } from "../../state/place.ts";
import { countIn, groupBy, listed } from "../../state/tables/tables.ts";
import { SearchField } from "../../widgets/SearchField.tsx";
import { SegmentedControl } from "../../widgets/SegmentedControl.tsx";
import { ColumnChooser } from "./ColumnChooser.tsx";

const NAMES: Record<string, string> = { name: "Name", shapes: "Shapes", stack: "Stack", module: "Module", label: "Label", step: "Step" };

const SCOPES = [
  ["steps", "Steps"],
  ["trace", "Whole trace"],
] as const;

/** What a row is, what is counted, what is looked for, and which columns are shown. */
export function TableTools({ view, hasServer }: { view: TableView; hasServer: boolean }) {
  const offered = view.choices.filter((choice) => choice.missing === "").map(({ by }) => [by, NAMES[by] ?? by] as const);
  return (
    <div class="tool">
      <SearchField label="Filter rows" placeholder="Filter by name" value={place.value.filter} onInput={(filter) => adjust({ filter })} />
      {hasServer && offered.length > 1 && <SegmentedControl label="Group by" options={offered} isChosen={(by) => by === view.by} onChoose={groupBy} />}
      {hasServer && view.marks_steps && <SegmentedControl label="Counted in" options={SCOPES} isChosen={(scope) => scope === view.scope} onChoose={countIn} />}
      <ColumnChooser view={view} />
      <span class="right s12 t3 nw" role="status">
        {counted(view)}
      </span>
    </div>
  );
}

function counted(view: TableView): string {
  const all = rowCount(view);
  const found = listed.value.length;
  const sent = all === view.count ? formatCounted(all, "row") : `the largest ${formatCount(all)} of ${formatCounted(view.count, "row")}`;
  return found === all ? sent : `${formatCount(found)} of ${sent}`;
}
