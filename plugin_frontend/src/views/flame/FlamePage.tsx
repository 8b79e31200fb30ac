import { useEffect, useRef } from "preact/hooks";
import type { IcicleView, WindowView } from "../../api/types.ts";
import { place } from "../../state/place.ts";
import { closeDrawer } from "../../state/sites/sites.ts";
import { icicle, icicleAnswer, loadIcicle, showsHost, top, wanted, zoomOut } from "../../state/tree/icicle.ts";
import { InlineText } from "../../widgets/Prose.tsx";
import { countedSteps } from "../countedSteps.ts";
import { viewActions } from "../dialogs/keys.ts";
import { TraceAnswer } from "../states/TraceAnswer.tsx";
import { Workspace } from "../Workspace.tsx";
import { FlameDrawing } from "./FlameDrawing.tsx";
import { FlameTools } from "./FlameTools.tsx";
import { PartsTable } from "./PartsTable.tsx";

/** Where a step's time goes, by what lies in what. */
export function FlamePage({ view }: { view: WindowView }) {
  useEffect(() => {
    const end = loadIcicle();
    viewActions.value = { Escape: closeOrZoomOut };
    return () => {
      viewActions.value = {};
      wanted.value = "";
      end();
    };
  }, []);
  const shown = icicle.value;
  return shown === null ? <NoGraph /> : <Shown view={view} shown={shown} />;
}

/** What lies over the graph first. */
function closeOrZoomOut(): void {
  const { rule, site, health } = place.peek();
  if (rule !== null || site !== null || health) closeDrawer();
  else zoomOut();
}

function Shown({ view, shown }: { view: WindowView; shown: IcicleView }) {
  const pane = useRef<HTMLDivElement>(null);
  const node = top.value;
  return (
    <Workspace view={view}>
      <div class="pane flame" ref={pane} tabIndex={0} role="region" aria-label="Flame graph">
        <div class="flame-head">
          <h1 class="anywhere">
            <InlineText text={headline(shown)} />
          </h1>
          <p class="t3 s12">{aboutOf(view, shown)}</p>
        </div>
        <FlameTools shown={shown} />
        {node !== null && node.value > 0 && (
          <>
            <FlameDrawing key={shown.kind} top={node} shown={shown} pane={() => pane.current} />
            <PartsTable node={node} shown={shown} />
          </>
        )}
      </div>
    </Workspace>
  );
}

function headline(shown: IcicleView): string {
  if (shown.nodes.length === 0) return "No functions, operators, modules or labels were recorded";
  const sentence = showsHost.value ? shown.host_sentence : shown.device_sentence;
  return sentence === "" ? "No GPU work was launched in these steps" : sentence;
}

function aboutOf(window: WindowView, shown: IcicleView): string {
  const what = showsHost.value
    ? "time of the thread that runs the steps, with that of backward() on its own thread"
    : "GPU time of the work launched inside, summed over all streams";
  return `${countedSteps(window, shown)}; ${what}`;
}

function NoGraph() {
  return (
    <TraceAnswer answer={icicleAnswer.value} what="flame graph">
      <p>
        The flame graph counts every event, so it needs the trace file, as the timeline, operators, kernels and modules do. The report holds all other views.
      </p>
      <p class="t2">The Overview has the largest labels, modules and functions by code. To see the flame graph, put the trace back beside its report.</p>
    </TraceAnswer>
  );
}
