import { useRef } from "preact/hooks";
import type { WindowView } from "../../api/types.ts";
import { viewSites } from "../../state/sites.ts";
import { Workspace } from "../Workspace.tsx";
import { SiteFilter } from "./SiteFilter.tsx";
import { SitesTable } from "./SitesTable.tsx";
import { VerdictPart } from "./VerdictPart.tsx";
import { WindowTotals } from "./WindowTotals.tsx";

/** Sync points or copies: their figures, every site, and one of them in the drawer. */
export function SitesView({ view }: { view: WindowView }) {
  const pane = useRef<HTMLDivElement>(null);
  const some = viewSites.value.length > 0;
  return (
    <Workspace view={view}>
      <div class={some ? "pane sites" : "pane sites bare"} ref={pane} tabIndex={0} role="region" aria-label="Sites">
        <VerdictPart view={view} />
        {some && (
          <>
            <SiteFilter view={view} />
            <SitesTable view={view} pane={() => pane.current} />
            <WindowTotals view={view} />
          </>
        )}
      </div>
    </Workspace>
  );
}
