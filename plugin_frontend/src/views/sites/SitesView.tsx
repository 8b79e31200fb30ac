import { useRef } from "preact/hooks";
import type { WindowView } from "../../api/types.ts";
import { place } from "../../state/place.ts";
import { openSite } from "../../state/sites.ts";
import { HealthDrawer } from "./HealthDrawer.tsx";
import { HealthParts } from "./HealthParts.tsx";
import { RuleDrawer } from "./RuleDrawer.tsx";
import { SiteDrawer } from "./SiteDrawer.tsx";
import { SiteFilter } from "./SiteFilter.tsx";
import { SitesTable } from "./SitesTable.tsx";
import { VerdictPart } from "./VerdictPart.tsx";
import { WindowTotals } from "./WindowTotals.tsx";

/** Sync points and copies: the verdict, its figures, every site, and one of them in the drawer. */
export function SitesView({ view }: { view: WindowView }) {
  const pane = useRef<HTMLDivElement>(null);
  const drawer = drawerOf(view);
  return (
    <main class="fill">
      <div class={drawer === null ? "split" : "split open"}>
        <div class={view.sites.length > 0 ? "pane sites" : "pane sites bare"} ref={pane} tabIndex={0} role="region" aria-label="Sites">
          <VerdictPart view={view} />
          {view.sites.length > 0 && (
            <>
              <SiteFilter view={view} />
              <SitesTable view={view} pane={() => pane.current} />
              <WindowTotals view={view} />
            </>
          )}
          {view.sites.length === 0 && (
            <div class="page halves">
              <HealthParts view={view} />
            </div>
          )}
        </div>
        {drawer}
      </div>
    </main>
  );
}

/** What the address opens at the right: a rule's page lies over a site. */
function drawerOf(view: WindowView) {
  if (place.value.rule !== null) return <RuleDrawer code={place.value.rule} />;
  if (openSite.value !== null) return <SiteDrawer key={openSite.value.index} site={openSite.value} view={view} />;
  return place.value.health ? <HealthDrawer view={view} /> : null;
}
