import type { WindowView } from "../../api/types.ts";
import { formatCount, formatCounted } from "../../format/number.ts";
import { GROUPINGS, type Grouping } from "../../model/grouping.ts";
import { adjust, place } from "../../state/place.ts";
import { listedSites, viewSites } from "../../state/sites.ts";
import { Icon } from "../../widgets/Icon.tsx";

/** The filter box, and how many sites it leaves. */
export function SiteFilter({ view }: { view: WindowView }) {
  const listed = listedSites.value.length;
  const all = viewSites.value.length;
  return (
    <div class="tool">
      <label class="field filter">
        <Icon name="search" />
        <span class="sr">Filter sites</span>
        <input
          id="filter"
          placeholder="Filter by line, op, rule"
          value={place.value.filter}
          onInput={(event) => adjust({ filter: event.currentTarget.value })}
        />
        <span class="kbd" aria-hidden="true">
          /
        </span>
      </label>
      <Groupings view={view} />
      <span class="right s12 t3 nw" role="status">
        {listed === all ? formatCounted(all, "site") : `${formatCount(listed)} of ${formatCounted(all, "site")}`}
      </span>
    </div>
  );
}

const NAMES: Record<Grouping, string> = { action: "Action", line: "Line", operator: "Operator", library: "Library", step: "Step" };

function Groupings({ view }: { view: WindowView }) {
  const offered = GROUPINGS.filter((name) => name !== "step" || view.marks_steps);
  return (
    <span class="row">
      <span class="s12 t3 nw" id="grouped">
        Group by
      </span>
      <span class="seg" role="group" aria-labelledby="grouped">
        {offered.map((name) => (
          <button key={name} type="button" aria-pressed={name === place.value.group} onClick={() => adjust({ group: name })}>
            {NAMES[name]}
          </button>
        ))}
      </span>
    </span>
  );
}
