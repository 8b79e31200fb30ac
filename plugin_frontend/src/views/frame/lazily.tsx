import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ProblemNote } from "../../widgets/ProblemNote.tsx";
import { Skeleton } from "../states/Skeleton.tsx";

const GONE = {
  title: "This view could not be loaded",
  what: "TensorBoard does not answer, or tbprof was updated while the page was open.",
  what_to_do: "Reload the page.",
  path: "",
};

/** A view whose code is asked for when it is first opened. */
export function lazily<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let Loaded: ComponentType<Props> | null = null;
  return function LazyView(props: Props) {
    const [state, setState] = useState<"loading" | "there" | "failed">(Loaded === null ? "loading" : "there");
    useEffect(() => {
      if (Loaded !== null) return;
      load().then(
        (view) => {
          Loaded = view;
          setState("there");
        },
        () => setState("failed"),
      );
    }, []);
    if (state === "there" && Loaded !== null) return <Loaded {...props} />;
    return (
      <main tabIndex={0}>
        {state === "failed" ? (
          <div class="page narrow">
            <ProblemNote problem={GONE} />
          </div>
        ) : (
          <Skeleton />
        )}
      </main>
    );
  };
}
