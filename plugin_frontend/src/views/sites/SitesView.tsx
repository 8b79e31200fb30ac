import { useRef } from "preact/hooks";
import type { WindowView } from "../../api/types.ts";
import { unplacedFindings } from "../../model/sites/actions.ts";
import { place } from "../../state/place.ts";
import { viewSites } from "../../state/sites/sites.ts";
import { CopiesTop } from "../copies/CopiesTop.tsx";
import { FindingLinks } from "../FindingLinks.tsx";
import { PredictedCard } from "../overview/PredictedCard.tsx";
import { Workspace } from "../Workspace.tsx";
import { SiteFilter } from "./SiteFilter.tsx";
import { SitesTable } from "./SitesTable.tsx";
import { SyncTop } from "./SyncTop.tsx";

/** Sync points or copies: their figures, every site, and one of them in the drawer. */
export function SitesView({ view }: { view: WindowView }) {
  const pane = useRef<HTMLDivElement>(null);
  if (viewSites.value.length === 0) return <NoSites view={view} />;
  return (
    <Workspace view={view}>
      <div class="pane sites" ref={pane} tabIndex={0} role="region" aria-label="Sites">
        {place.value.view === "copies" ? <CopiesHead view={view} /> : <SyncTop view={view} />}
        <SiteFilter view={view} />
        <SitesTable view={view} pane={() => pane.current} />
      </div>
    </Workspace>
  );
}

function CopiesHead({ view }: { view: WindowView }) {
  return (
    <>
      <h1 class="sr">Copies</h1>
      <CopiesTop view={view} />
    </>
  );
}

function NoSites({ view }: { view: WindowView }) {
  const isCopies = place.value.view === "copies";
  const unplaced = isCopies ? [] : unplacedFindings(view.overview);
  if (!isCopies && view.predicted.length > 0) return <PredictedOnly view={view} />;
  return (
    <Workspace view={view}>
      <div class="pane" tabIndex={0} role="region" aria-label="Sites">
        <div class="page narrow">
          <h1>{emptyTitle(view, isCopies)}</h1>
          {view.state === "no_device" && (
            <p class="t2 anywhere">
              {view.scope === "" && view.verdict} {view.detail}
            </p>
          )}
          {unplaced.length > 0 && (
            <section class="col" aria-label="Findings about the window">
              <p class="t2">What was found is about the window, its steps or its parts:</p>
              <FindingLinks findings={unplaced} />
            </section>
          )}
        </div>
      </div>
    </Workspace>
  );
}

/** Without a GPU nothing waited; where its work is missing from the file, or without calls of the host nobody knows. */
function emptyTitle(view: WindowView, isCopies: boolean): string {
  if (view.state === "no_device" && view.scope === "")
    return isCopies ? "Without a GPU there are no copies to or from one" : "Without a GPU nothing waits for one";
  if (view.state === "no_device") return isCopies ? "Whether anything was copied is not known" : "Whether the host waits for the GPU is not known";
  if (!view.sync_points.is_recorded) return isCopies ? "No copy was recorded" : "Whether the host waits for the GPU was not recorded";
  return isCopies ? "Nothing was copied in this window" : "Nothing in this window waits for the GPU";
}

function PredictedOnly({ view }: { view: WindowView }) {
  return (
    <Workspace view={view}>
      <div class="pane" tabIndex={0} role="region" aria-label="Sites">
        <div class="page">
          <div>
            <h1 class="anywhere">{view.verdict}</h1>
            <p class="t2 anywhere">{view.detail}</p>
          </div>
          <PredictedCard rows={view.predicted} title="Would wait for a GPU" number={1} />
        </div>
      </div>
    </Workspace>
  );
}
