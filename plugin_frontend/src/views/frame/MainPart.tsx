import type { ComponentChildren, ComponentType } from "preact";
import type { WindowAnswer, WindowView } from "../../api/types.ts";
import type { ViewName } from "../../model/views.ts";
import { type Failure, failureTitle } from "../../state/loading/loaded.ts";
import { adjust, place } from "../../state/place.ts";
import { refreshRuns, runs, shown, shownView, withoutWindows } from "../../state/runs/runs.ts";
import { retryWindow, windowAnswer } from "../../state/windowAnswer.ts";
import { ProblemNote } from "../../widgets/ProblemNote.tsx";
import { OverviewPage } from "../overview/OverviewPage.tsx";
import { EmptyState } from "../states/EmptyState.tsx";
import { ReadingState } from "../states/ReadingState.tsx";
import { Skeleton } from "../states/Skeleton.tsx";
import { lazily } from "./lazily.tsx";

const RunWithoutWindows = lazily(async () => (await import("../memory/RunWithoutWindows.tsx")).RunWithoutWindows);
const SitesView = lazily(async () => (await import("../sites/SitesView.tsx")).SitesView);
const TablePage = lazily(async () => (await import("../tables/TablePage.tsx")).TablePage);

type Page = { ofAllRuns: ComponentType } | { ofRun: ComponentType } | { ofWindow: ComponentType<{ view: WindowView }> };

/** What draws each view, by what it needs: nothing but the list of runs, the shown run, or its window. */
const PAGES: Readonly<Record<ViewName, Page>> = {
  fleet: { ofAllRuns: lazily(async () => (await import("../fleet/FleetPage.tsx")).FleetPage) },
  overview: { ofWindow: OverviewPage },
  run: { ofRun: lazily(async () => (await import("../run/RunPage.tsx")).RunPage) },
  checks: { ofWindow: lazily(async () => (await import("../checks/ChecksPage.tsx")).ChecksPage) },
  syncs: { ofWindow: SitesView },
  copies: { ofWindow: SitesView },
  timeline: { ofWindow: lazily(async () => (await import("../timeline/TimelinePage.tsx")).TimelinePage) },
  source: { ofWindow: lazily(async () => (await import("../source/SourcePage.tsx")).SourcePage) },
  flame: { ofWindow: lazily(async () => (await import("../flame/FlamePage.tsx")).FlamePage) },
  operators: { ofWindow: TablePage },
  kernels: { ofWindow: TablePage },
  modules: { ofWindow: lazily(async () => (await import("../modules/ModulesPage.tsx")).ModulesPage) },
  memory: { ofWindow: lazily(async () => (await import("../memory/MemoryPage.tsx")).MemoryPage) },
  communication: { ofWindow: lazily(async () => (await import("../communication/CommunicationPage.tsx")).CommunicationPage) },
  job: { ofRun: lazily(async () => (await import("../job/JobView.tsx")).JobView) },
  compare: { ofRun: lazily(async () => (await import("../compare/ComparePage.tsx")).ComparePage) },
  session: { ofAllRuns: lazily(async () => (await import("../series/SessionPage.tsx")).SessionPage) },
  trends: { ofRun: lazily(async () => (await import("../series/TrendsPage.tsx")).TrendsPage) },
};

/** The part below the bars: the view, or why there is none. */
export function MainPart() {
  if (runs.value.kind === "loading")
    return (
      <Scrolled>
        <Skeleton />
      </Scrolled>
    );
  if (runs.value.kind === "failed") return <FailedPart failure={runs.value} onRetry={() => void refreshRuns()} />;
  if (runs.value.value.runs.length === 0 && withoutWindows.value === null)
    return (
      <Scrolled>
        <EmptyState runs={runs.value.value} />
      </Scrolled>
    );
  const page = PAGES[shownView.value];
  if ("ofAllRuns" in page) return <page.ofAllRuns />;
  if (withoutWindows.value !== null) return <RunWithoutWindows run={withoutWindows.value} />;
  if (shown.value === null) return <GonePart />;
  if ("ofRun" in page) return <page.ofRun />;
  if (windowAnswer.value.kind === "loading")
    return (
      <Scrolled>
        <Skeleton />
      </Scrolled>
    );
  if (windowAnswer.value.kind === "failed") return <FailedPart failure={windowAnswer.value} onRetry={retryWindow} />;
  return <AnswerPart answer={windowAnswer.value.value} draw={(view) => <page.ofWindow key={shownView.value} view={view} />} />;
}

function AnswerPart({ answer, draw }: { answer: WindowAnswer; draw: (view: WindowView) => ComponentChildren }) {
  if (answer.window !== null) return draw(answer.window);
  if (answer.problem !== null) {
    return (
      <Scrolled>
        <div class="page narrow">
          <ProblemNote problem={answer.problem}>
            <RetryButton onRetry={retryWindow} />
          </ProblemNote>
        </div>
      </Scrolled>
    );
  }
  return (
    <Scrolled>
      <ReadingState progress={answer.progress} />
    </Scrolled>
  );
}

function FailedPart({ failure, onRetry }: { failure: Failure; onRetry: () => void }) {
  return (
    <Scrolled>
      <div class="page narrow">
        <ProblemNote problem={{ title: failureTitle(failure), what: failure.message, what_to_do: "", path: "" }}>
          <RetryButton onRetry={onRetry} />
        </ProblemNote>
      </div>
    </Scrolled>
  );
}

/** The address names a run, worker or window that is not in the log directory. */
function GonePart() {
  const { run, worker, window } = place.value;
  const problem = {
    title: "This window is not in the log directory",
    what: "The link names a recording that was moved or deleted, or was never there.",
    what_to_do: "Pick another run above, or open the first one.",
    path: [run, worker, window].filter((name) => name !== null).join(" / "),
  };
  return (
    <Scrolled>
      <div class="page narrow">
        <ProblemNote problem={problem}>
          <button class="btn p" type="button" onClick={() => adjust({ run: null, worker: null, window: null, site: null })}>
            Open the first run
          </button>
        </ProblemNote>
      </div>
    </Scrolled>
  );
}

function RetryButton({ onRetry }: { onRetry: () => void }) {
  return (
    <button class="btn" type="button" onClick={onRetry}>
      Try again
    </button>
  );
}

function Scrolled({ children }: { children: ComponentChildren }) {
  return <main tabIndex={0}>{children}</main>;
}
