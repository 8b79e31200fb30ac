import { useEffect, useRef } from "preact/hooks";
import type { IcicleView, WindowView } from "../../api/types.ts";
import { formatCounted } from "../../format/number.ts";
import { icicle, icicleAnswer, loadIcicle, showsHost, top, wanted, zoomOut } from "../../state/icicle.ts";
import { failureTitle } from "../../state/loaded.ts";
import { place } from "../../state/place.ts";
import { closeDrawer } from "../../state/sites.ts";
import { ProblemNote } from "../../widgets/ProblemNote.tsx";
import { InlineText } from "../../widgets/Prose.tsx";
import { viewActions } from "../keys.ts";
import { GoneTrace } from "../states/GoneTrace.tsx";
import { ReadingState } from "../states/ReadingState.tsx";
import { Skeleton } from "../states/Skeleton.tsx";
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
          <p class="t3 s12">{about(view, shown)}</p>
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

function about(view: WindowView, { steps, marks_steps }: IcicleView): string {
  const without = view.steps.some((step) => step.cold) ? ", without the cold one" : "";
  const scope = marks_steps ? `Mean of ${formatCounted(steps, "step")}${without}` : "Of the window";
  const what = showsHost.value
    ? "time of the thread that runs the steps, with that of backward() on its own thread"
    : "GPU time of the work launched inside, summed over all streams";
  return `${scope}; ${what}`;
}

/** Not there yet, or why it can't be. */
function NoGraph() {
  const answer = icicleAnswer.value;
  if (answer.kind === "loading")
    return (
      <main tabIndex={0}>
        <Skeleton />
      </main>
    );
  if (answer.kind === "failed") return <Broken title={failureTitle(answer, "The flame graph could not be loaded")} what={answer.message} />;
  const { state, progress, problem } = answer.value;
  if (state === "gone")
    return (
      <GoneTrace>
        <p>The flame graph counts every event, so it needs the trace file. The report holds all other views but the timeline.</p>
        <p class="t2">The Overview has the largest labels, modules and functions by code. To see the flame graph, put the trace back beside its report.</p>
      </GoneTrace>
    );
  if (problem !== null) return <Broken title={problem.title} what={problem.what} whatToDo={problem.what_to_do} path={problem.path} />;
  return (
    <main tabIndex={0}>
      <ReadingState progress={progress} />
    </main>
  );
}

function Broken({ title, what, whatToDo = "Try again in a moment.", path = "" }: { title: string; what: string; whatToDo?: string; path?: string }) {
  return (
    <main tabIndex={0}>
      <div class="page narrow">
        <ProblemNote problem={{ title, what, what_to_do: whatToDo, path }} />
      </div>
    </main>
  );
}
