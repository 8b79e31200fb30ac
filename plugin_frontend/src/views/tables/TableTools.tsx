import type { TableView } from "../../api/types.ts";
import { formatCount, formatCounted } from "../../format/number.ts";
import { rowCount } from "../../model/table.ts";
import { adjust, place } from "../../state/place.ts";
import { countIn, groupBy, listed } from "../../state/tables.ts";
import { Icon } from "../../widgets/Icon.tsx";
import { ColumnChooser } from "./ColumnChooser.tsx";

const NAMES: Record<string, string> = { name: "Name", shapes: "Shapes", stack: "Stack", module: "Module", label: "Label", step: "Step" };

/** What a row is, what is counted, what is looked for, and which columns are shown. */
export function TableTools({ view, hasServer }: { view: TableView; hasServer: boolean }) {
  const offered = view.choices.filter((choice) => choice.missing === "");
  return (
    <div class="tool">
      <label class="field filter">
        <Icon name="search" />
        <span class="sr">Filter rows</span>
        <input id="filter" placeholder="Filter by name" value={place.value.filter} onInput={(event) => adjust({ filter: event.currentTarget.value })} />
        <span class="kbd" aria-hidden="true">
          /
        </span>
      </label>
      {hasServer && offered.length > 1 && (
        <span class="seg" role="group" aria-label="Group by">
          {offered.map(({ by }) => (
            <button key={by} type="button" aria-pressed={by === view.by} onClick={() => groupBy(by)}>
              {NAMES[by] ?? by}
            </button>
          ))}
        </span>
      )}
      {hasServer && view.marks_steps && (
        <span class="seg" role="group" aria-label="Counted in">
          <button type="button" aria-pressed={view.scope === "steps"} onClick={() => countIn("steps")}>
            Steps
          </button>
          <button type="button" aria-pressed={view.scope === "trace"} onClick={() => countIn("trace")}>
            Whole trace
          </button>
        </span>
      )}
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
