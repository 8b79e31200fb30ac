import type { ComponentChildren } from "preact";
import type { WindowAnswer, WindowView } from "../../api/types.ts";
import { type Failure, failureTitle } from "../../state/loading/loaded.ts";
import { adjust, place } from "../../state/place.ts";
import { refreshRuns, runs, shown, views, withoutWindows } from "../../state/runs/runs.ts";
import { retryWindow, windowAnswer } from "../../state/windowAnswer.ts";
import { ProblemNote } from "../../widgets/ProblemNote.tsx";
import { OverviewPage } from "../overview/OverviewPage.tsx";
import { EmptyState } from "../states/EmptyState.tsx";
import { ReadingState } from "../states/ReadingState.tsx";
import { Skeleton } from "../states/Skeleton.tsx";
import { lazily } from "./lazily.tsx";

const ChecksPage = lazily(async () => (await import("../checks/ChecksPage.tsx")).ChecksPage);
const ComparePage = lazily(async () => (await import("../compare/ComparePage.tsx")).ComparePage);
const CommunicationPage = lazily(async () => (await import("../communication/CommunicationPage.tsx")).CommunicationPage);
const FleetPage = lazily(async () => (await import("../fleet/FleetPage.tsx")).FleetPage);
const FlamePage = lazily(async () => (await import("../flame/FlamePage.tsx")).FlamePage);
const ModulesPage = lazily(async () => (await import("../modules/ModulesPage.tsx")).ModulesPage);
const MemoryPage = lazily(async () => (await import("../memory/MemoryPage.tsx")).MemoryPage);
const RunWithoutWindows = lazily(async () => (await import("../memory/RunWithoutWindows.tsx")).RunWithoutWindows);
const JobView = lazily(async () => (await import("../job/JobView.tsx")).JobView);
const SitesView = lazily(async () => (await import("../sites/SitesView.tsx")).SitesView);
const SourcePage = lazily(async () => (await import("../source/SourcePage.tsx")).SourcePage);
const TablePage = lazily(async () => (await import("../tables/TablePage.tsx")).TablePage);
const TimelinePage = lazily(async () => (await import("../timeline/TimelinePage.tsx")).TimelinePage);
const TrendsPage = lazily(async () => (await import("../series/TrendsPage.tsx")).TrendsPage);

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
  if (place.value.view === "fleet" && views.value.includes("fleet")) return <FleetPage />;
  if (withoutWindows.value !== null) return <RunWithoutWindows run={withoutWindows.value} />;
  if (shown.value === null) return <GonePart />;
  if (place.value.view === "job" && views.value.includes("job")) return <JobView />;
  if (place.value.view === "trends" && views.value.includes("trends")) return <TrendsPage />;
  if (place.value.view === "compare" && views.value.includes("compare")) return <ComparePage />;
  if (windowAnswer.value.kind === "loading")
    return (
      <Scrolled>
        <Skeleton />
      </Scrolled>
    );
  if (windowAnswer.value.kind === "failed") return <FailedPart failure={windowAnswer.value} onRetry={retryWindow} />;
  return <AnswerPart answer={windowAnswer.value.value} />;
}

/** The view that the address names. */
function WindowPart({ view }: { view: WindowView }) {
  // A link to a view that the run has not shows what it has.
  const named = views.value.includes(place.value.view) ? place.value.view : "overview";
  switch (named) {
    // Those that need no window stand above.
    case "fleet":
    case "compare":
    case "job":
    case "trends":
    case "overview":
      return <OverviewPage view={view} />;
    case "syncs":
    case "copies":
      return <SitesView key={named} view={view} />;
    case "checks":
      return <ChecksPage view={view} />;
    case "communication":
      return <CommunicationPage view={view} />;
    case "source":
      return <SourcePage view={view} />;
    case "flame":
      return <FlamePage view={view} />;
    case "operators":
    case "kernels":
      return <TablePage key={named} view={view} />;
    case "modules":
      return <ModulesPage view={view} />;
    case "memory":
      return <MemoryPage view={view} />;
    case "timeline":
      return <TimelinePage view={view} />;
  }
}

function AnswerPart({ answer }: { answer: WindowAnswer }) {
  if (answer.window !== null) return <WindowPart view={answer.window} />;
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
