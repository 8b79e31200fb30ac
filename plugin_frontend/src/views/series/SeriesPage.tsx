import type { ComponentChildren } from "preact";
import { failureTitle, type Loaded } from "../../state/loading/loaded.ts";
import { ProblemNote } from "../../widgets/ProblemNote.tsx";
import { Skeleton } from "../states/Skeleton.tsx";

interface SeriesPageProps<View> {
  answer: Loaded<View>;
  /** Beside it. */
  drawer?: ComponentChildren;
  children: (view: View) => ComponentChildren;
}

/** A page over several windows, or why there is none. */
export function SeriesPage<View>({ answer, drawer = null, children }: SeriesPageProps<View>) {
  if (answer.kind === "loading")
    return (
      <main>
        <Skeleton />
      </main>
    );
  if (drawer !== null && answer.kind === "there") {
    return (
      <main class="fill">
        <div class="split open">
          <div class="pane" tabIndex={0}>
            <div class="page">{children(answer.value)}</div>
          </div>
          {drawer}
        </div>
      </main>
    );
  }
  return (
    <main tabIndex={0}>
      <div class={answer.kind === "failed" ? "page narrow" : "page"}>
        {answer.kind === "failed" ? (
          <ProblemNote problem={{ title: failureTitle(answer), what: answer.message, what_to_do: "", path: "" }} />
        ) : (
          children(answer.value)
        )}
      </div>
    </main>
  );
}

/** The verdict over all windows. */
export function SeriesHead({ verdict, detail }: { verdict: string; detail: string }) {
  return (
    <div>
      <h1 class="anywhere">{verdict}</h1>
      {detail !== "" && <p class="t2 anywhere">{detail}</p>}
    </div>
  );
}
