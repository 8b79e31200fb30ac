import { useEffect, useRef } from "preact/hooks";
import type { ModulesView, WindowView } from "../../api/types.ts";
import { place } from "../../state/place.ts";
import { closeDrawer } from "../../state/sites/sites.ts";
import { loadModules, modules, modulesAnswer, showsHost, top, zoomOut } from "../../state/tree/modules.ts";
import { InlineText } from "../../widgets/Prose.tsx";
import { countedSteps } from "../countedSteps.ts";
import { viewActions } from "../dialogs/keys.ts";
import { TraceAnswer } from "../states/TraceAnswer.tsx";
import { Workspace } from "../Workspace.tsx";
import { ModuleDrawer } from "./ModuleDrawer.tsx";
import { ModulesDrawing } from "./ModulesDrawing.tsx";
import { ModulesTable } from "./ModulesTable.tsx";
import { ModulesTools } from "./ModulesTools.tsx";
import "../../draw/traceTables.ts";

/** What each part of the model costs, forward and backward. */
export function ModulesPage({ view }: { view: WindowView }) {
  useEffect(() => {
    const end = loadModules();
    viewActions.value = { Escape: closeOrZoomOut };
    return () => {
      viewActions.value = {};
      end();
    };
  }, []);
  return modules.value === null ? <NoModules /> : <Shown window={view} shown={modules.value} />;
}

/** What lies over the drawing first. */
function closeOrZoomOut(): void {
  const { rule, site, health, row } = place.peek();
  if (rule !== null || site !== null || health || row !== null) closeDrawer();
  else zoomOut();
}

function Shown({ window, shown }: { window: WindowView; shown: ModulesView }) {
  const pane = useRef<HTMLDivElement>(null);
  const { row } = place.value;
  const node = row === null ? undefined : shown.nodes[row];
  return (
    <Workspace view={window} own={node === undefined ? null : <ModuleDrawer key={row} node={node} shown={shown} />}>
      <div class="pane flame" ref={pane} tabIndex={0} role="region" aria-label="Modules">
        <div class="flame-head">
          <h1 class="anywhere">
            <InlineText text={shown.headline === "" ? "Nothing was recorded in these steps" : shown.headline} />
          </h1>
          <p class="t3 s12">{aboutOf(window, shown)}</p>
          {shown.missing !== "" && (
            <p class="s12 t2">
              <InlineText text={shown.missing} />
            </p>
          )}
        </div>
        <ModulesTools shown={shown} />
        {top.value !== null && (
          <div class="modules-parts">
            {top.value.value > 0 && <ModulesDrawing top={top.value} shown={shown} />}
            <ModulesTable shown={shown} />
          </div>
        )}
      </div>
    </Workspace>
  );
}

function aboutOf(window: WindowView, shown: ModulesView): string {
  const what = showsHost.value ? "time on the host" : "GPU time of the work launched inside, and by the backward pass of what is inside";
  return `${countedSteps(window, shown)}; ${what}`;
}

function NoModules() {
  return (
    <TraceAnswer answer={modulesAnswer.value} what="modules">
      <p>The costs of modules are counted from every event, so they need the trace file.</p>
      <p class="t2">The Overview has the largest modules. To see all of them, put the trace back beside its report.</p>
    </TraceAnswer>
  );
}
