import { Key } from "../../draw/marks/Key.tsx";
import { formatCount } from "../../format/number.ts";
import { addressInWorker, type Shown, workerName } from "../../model/runs/runs.ts";
import { visit } from "../../state/place.ts";
import { nameOfRun, runs, shown, visitWindow } from "../../state/runs/runs.ts";
import { Picker } from "../../widgets/picker/Picker.tsx";

/** The window before: its run, rank and number; the one after is the one in the bar above. */
export function BeforePicker({ before }: { before: Shown }) {
  return (
    <div class="row before">
      <Key fill={{ class: "f-before" }} />
      <RunPicker run={before.run.run} />
      <Picker
        label="worker"
        value={workerName(before.worker)}
        selected={before.worker.worker}
        options={before.run.workers.map((row) => ({ key: row.worker, text: workerName(row), detail: row.rank === null ? "" : row.worker }))}
        onPick={(name) => {
          const worker = before.run.workers.find((row) => row.worker === name);
          if (worker !== undefined) visitBefore(addressInWorker(before, worker));
        }}
        shrinks
      />
      <Picker
        label="window"
        value={formatCount(before.windowIndex + 1)}
        selected={before.window.window}
        options={before.worker.windows.map((row, at) => ({ key: row.window, text: formatCount(at + 1), detail: row.window }))}
        onPick={(window) => visitBefore({ run: before.run.run, worker: before.worker.worker, window })}
      />
      <button class="btn sm" type="button" onClick={() => swap(before)}>
        Swap before and after
      </button>
      <span class="legend s12 t3">
        <Key fill={{ class: "f-acc" }} />
        After: {afterName(shown.value)}
      </span>
    </div>
  );
}

/** Null where none is picked yet. */
export function RunPicker({ run: picked }: { run: string | null }) {
  const all = runs.value.kind === "there" ? runs.value.value.runs : [];
  return (
    <Picker
      label="Before: run"
      value={picked === null ? "none" : nameOfRun(picked)}
      selected={picked ?? ""}
      options={all.map((row) => ({ key: row.run, text: nameOfRun(row.run), detail: "" }))}
      onPick={(run) => visit({ beforeRun: run, beforeWorker: null, beforeWindow: null })}
      shrinks
    />
  );
}

/** The one in the bar above, by what tells it from the one before. */
function afterName(after: Shown | null): string {
  return after === null ? "" : `${nameOfRun(after.run.run)}, window ${formatCount(after.windowIndex + 1)}`;
}

function visitBefore({ run, worker, window }: { run: string | null; worker: string | null; window: string | null }): void {
  visit({ beforeRun: run, beforeWorker: worker, beforeWindow: window });
}

function swap(before: Shown): void {
  const after = shown.peek();
  if (after === null) return;
  visitBefore({ run: after.run.run, worker: after.worker.worker, window: after.window.window });
  visitWindow({ run: before.run.run, worker: before.worker.worker, window: before.window.window });
}
