import type { WindowView } from "../../api/types.ts";
import { formatCount, formatCounted } from "../../format/number.ts";
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
          placeholder="Filter by line, op, label, rule"
          value={place.value.filter}
          onInput={(event) => adjust({ filter: event.currentTarget.value })}
        />
        <span class="kbd" aria-hidden="true">
          /
        </span>
      </label>
      <span class="right s12 t3 nw" role="status">
        {listed === all ? formatCounted(all, "site") : `${formatCount(listed)} of ${formatCounted(all, "site")}`}
      </span>
      <span class="s12 t3 nw">totals of the window, {formatCounted(view.steps.length, "step")}</span>
    </div>
  );
}
