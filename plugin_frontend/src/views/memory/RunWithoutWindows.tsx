import { nameOfRun } from "../../state/runs/runs.ts";
import { MemoryFiles } from "./MemoryFiles.tsx";
import "../../draw/traceTables.ts";

/** Of a run that recorded no window, what the hook left of its memory: most often, where it ran out. */
export function RunWithoutWindows({ run }: { run: string }) {
  return (
    <main tabIndex={0}>
      <div class="page">
        <div>
          <h1 class="anywhere">
            No window was recorded in <bdi>{nameOfRun(run)}</bdi>
          </h1>
          <p class="t2">The training ended before its first one was over. What the hook left of its memory is here.</p>
        </div>
      </div>
      <MemoryFiles key={run} title="In the folder of this run" />
    </main>
  );
}
