import type { WindowView } from "../../api/types.ts";
import { formatCount, formatCounted } from "../../format/number.ts";
import { GROUPINGS, type Grouping } from "../../model/sites/grouping.ts";
import { adjust, place } from "../../state/place.ts";
import { listedSites, viewSites } from "../../state/sites/sites.ts";
import { SearchField } from "../../widgets/SearchField.tsx";
import { SegmentedControl } from "../../widgets/SegmentedControl.tsx";

/** The filter box, and how many sites it leaves. */
export function SiteFilter({ view }: { view: WindowView }) {
  const listed = listedSites.value.length;
  const all = viewSites.value.length;
  return (
    <div class="tool">
      <SearchField label="Filter sites" placeholder="Filter by line, op, rule" value={place.value.filter} onInput={(filter) => adjust({ filter })} />
      <Groupings view={view} />
      <span class="right s12 t3 nw" role="status">
        {listed === all ? formatCounted(all, "site") : `${formatCount(listed)} of ${formatCounted(all, "site")}`}
      </span>
    </div>
  );
}

const NAMES: Record<Grouping, string> = { action: "Action", line: "Line", operator: "Operator", library: "Library", step: "Step" };

function Groupings({ view }: { view: WindowView }) {
  const offered = GROUPINGS.filter((name) => name !== "step" || view.marks_steps).map((name) => [name, NAMES[name]] as const);
  return (
    <span class="row">
      <span class="s12 t3 nw">Group by</span>
      <SegmentedControl label="Group by" options={offered} isChosen={(name) => name === place.value.group} onChoose={(group) => adjust({ group })} />
    </span>
  );
}
