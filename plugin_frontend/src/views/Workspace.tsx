import type { ComponentChildren } from "preact";
import type { WindowView } from "../api/types.ts";
import { place } from "../state/place.ts";
import { openSite } from "../state/sites/sites.ts";
import { HealthDrawer } from "./sites/HealthDrawer.tsx";
import { RuleDrawer } from "./sites/RuleDrawer.tsx";
import { SiteDrawer } from "./sites/SiteDrawer.tsx";

interface WorkspaceProps {
  view: WindowView;
  /** A drawer of the view's own, beneath those that every view has. */
  own?: ComponentChildren;
  children: ComponentChildren;
}

/** A view at the left, and at the right the drawer that the address opens. */
export function Workspace({ view, own = null, children }: WorkspaceProps) {
  const drawer = drawerOf(view) ?? own;
  return (
    <main class="fill">
      <div class={drawer === null ? "split" : "split open"}>
        {children}
        {drawer}
      </div>
    </main>
  );
}

/** A rule's page lies over a site. */
function drawerOf(view: WindowView) {
  if (place.value.rule !== null) return <RuleDrawer code={place.value.rule} view={view} />;
  if (openSite.value !== null) return <SiteDrawer key={openSite.value.index} site={openSite.value} view={view} />;
  return place.value.health ? <HealthDrawer view={view} /> : null;
}
