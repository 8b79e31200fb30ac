import type { ComponentChildren } from "preact";
import type { Problem } from "../api/types.ts";
import { Icon } from "./Icon.tsx";

/** What is broken, why, and what to do; `children` are the actions. */
export function ProblemNote({ problem, children }: { problem: Problem; children?: ComponentChildren }) {
  return (
    <section class="note bad" aria-labelledby="problem">
      <Icon name="error" tone="i-bad" />
      <div>
        <h1 id="problem" class="anywhere">
          {problem.title}
        </h1>
        {problem.what !== "" && <p class="anywhere">{problem.what}</p>}
        {problem.what_to_do !== "" && <p class="t2 anywhere">{problem.what_to_do}</p>}
        {problem.path !== "" && (
          <p class="mono t2 anywhere">
            <bdi>{problem.path}</bdi>
          </p>
        )}
        {children !== undefined && <div class="row wrap">{children}</div>}
      </div>
    </section>
  );
}
