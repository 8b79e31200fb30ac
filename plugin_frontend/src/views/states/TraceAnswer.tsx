import type { ComponentChildren } from "preact";
import type { Problem, Progress } from "../../api/types.ts";
import { failureTitle, type Loaded } from "../../state/loading/loaded.ts";
import { ProblemNote } from "../../widgets/ProblemNote.tsx";
import { GoneTrace } from "./GoneTrace.tsx";
import { ReadingState } from "./ReadingState.tsx";
import { Skeleton } from "./Skeleton.tsx";

/** What every answer says that is made from the trace itself. */
interface FromTrace {
  state: "ready" | "reading" | "gone" | "broken";
  progress: Progress | null;
  problem: Problem | null;
}

interface TraceAnswerProps {
  answer: Loaded<FromTrace>;
  /** As "timeline", to say that it could not be loaded. */
  what: string;
  /** What is said where the trace is gone. */
  children: ComponentChildren;
}

/** In place of a view that needs the trace: not there yet, or why it can't be. */
export function TraceAnswer({ answer, what, children }: TraceAnswerProps) {
  if (answer.kind === "there" && answer.value.state === "gone") return <GoneTrace>{children}</GoneTrace>;
  return <main tabIndex={0}>{waitingOrProblem(answer, what)}</main>;
}

function waitingOrProblem(answer: Loaded<FromTrace>, what: string) {
  if (answer.kind === "loading") return <Skeleton />;
  if (answer.kind === "failed") {
    const title = failureTitle(answer, `The ${what} could not be loaded`);
    return <Broken problem={{ title, what: answer.message, what_to_do: "Try again in a moment.", path: "" }} />;
  }
  const { progress, problem } = answer.value;
  return problem === null ? <ReadingState progress={progress} /> : <Broken problem={problem} />;
}

function Broken({ problem }: { problem: Problem }) {
  return (
    <div class="page narrow">
      <ProblemNote problem={problem} />
    </div>
  );
}
