import type { RunsView, WorkerRow } from "../../api/types.ts";
import { formatDevices } from "../../format/devices.ts";
import { formatCount, formatCounted } from "../../format/number.ts";
import { formatSize } from "../../format/size.ts";
import { addressInWorker, type Shown, workerName } from "../../model/runs/runs.ts";
import { copyText } from "../../state/notice.ts";
import { currentLink } from "../../state/place.ts";
import { nameOfRun, newWindows, runs, shown, visitWindow, visitWindowBeside, withoutWindows } from "../../state/runs/runs.ts";
import { windowView } from "../../state/windowAnswer.ts";
import { Icon } from "../../widgets/Icon.tsx";
import { Picker } from "../../widgets/picker/Picker.tsx";
import type { PickerOption } from "../../widgets/picker/PickerList.tsx";
import { keysOpen } from "../dialogs/keys.ts";

const NOTHING = "—";

/** What is shown: run, rank, window, device; and the link to it. */
export function ContextBar() {
  return (
    <header class="ctx">
      <RunPicker runs={runs.value.kind === "there" ? runs.value.value : null} shown={shown.value} />
      <span class="sep" aria-hidden="true">
        /
      </span>
      <WorkerPicker shown={shown.value} />
      <span class="sep" aria-hidden="true">
        /
      </span>
      <WindowPicker shown={shown.value} />
      <StepButton icon="previous" label="Previous window" steps={-1} />
      <StepButton icon="next" label="Next window" steps={1} />
      <Devices names={windowView.value?.devices ?? []} />
      <span class="right" />
      <NewWindows />
      <button class="btn q" type="button" aria-label="Copy link to this view" onClick={() => void copyText(currentLink(), "Link")}>
        <Icon name="link" />
        <span class="wide-only">Copy link</span>
      </button>
      <button class="btn q ico-only" type="button" aria-label="Keyboard shortcuts" onClick={() => (keysOpen.value = true)}>
        ?
      </button>
    </header>
  );
}

function Devices({ names }: { names: readonly string[] }) {
  const text = formatDevices(names);
  return (
    <span class="devices t3 s12 ell wide-only" title={text}>
      {text}
    </span>
  );
}

function RunPicker({ runs: view, shown: current }: { runs: RunsView | null; shown: Shown | null }) {
  const recorded: PickerOption[] = (view?.runs ?? []).map((row) => ({
    key: row.run,
    text: nameOfRun(row.run),
    detail: formatCounted(row.workers.length, "rank"),
  }));
  const failed: PickerOption[] = (view?.without_windows ?? []).map((run) => ({ key: run, text: nameOfRun(run), detail: "no window" }));
  const options = [...recorded, ...failed];
  const run = current?.run.run ?? withoutWindows.value;
  return (
    <Picker
      label="Run"
      value={run === null ? NOTHING : nameOfRun(run)}
      selected={run ?? ""}
      options={options}
      onPick={(run) => visitWindow({ run, worker: null, window: null, filter: "" })}
      shrinks
    />
  );
}

function WorkerPicker({ shown: current }: { shown: Shown | null }) {
  const options: PickerOption[] = (current?.run.workers ?? []).map((row) => ({
    key: row.worker,
    text: workerName(row),
    detail: row.rank === null ? formatCounted(row.windows.length, "window") : row.worker,
  }));
  return (
    <Picker
      label={current?.worker.rank === null ? "Worker" : "Rank"}
      value={current === null ? NOTHING : shownWorker(current.worker)}
      selected={current?.worker.worker ?? ""}
      options={options}
      onPick={(key) => {
        const worker = current?.run.workers.find((row) => row.worker === key);
        if (current !== null && worker !== undefined) visitWindow(addressInWorker(current, worker));
      }}
      shrinks
    />
  );
}

/** `0 of 8` for a rank, once its window says of how many. */
function shownWorker(worker: WorkerRow): string {
  const world = windowView.value?.world_size ?? null;
  return worker.rank === null || world === null ? workerName(worker) : `${workerName(worker)} of ${formatCount(world)}`;
}

function WindowPicker({ shown: current }: { shown: Shown | null }) {
  const options: PickerOption[] = (current?.worker.windows ?? []).map((row, at) => ({
    key: row.window,
    text: formatCount(at + 1),
    detail: [row.has_report ? "" : "not read yet", row.size_bytes > 0 ? formatSize(row.size_bytes) : "", row.window].filter((part) => part !== "").join(" · "),
  }));
  return (
    <Picker
      label="Window"
      value={current === null ? NOTHING : `${formatCount(current.windowIndex + 1)} of ${formatCount(options.length)}`}
      selected={current?.window.window ?? ""}
      options={options}
      onPick={(window) => visitWindow({ window })}
    />
  );
}

function StepButton({ icon, label, steps }: { icon: "previous" | "next"; label: string; steps: number }) {
  const beside = shown.value?.worker.windows[shown.value.windowIndex + steps];
  return (
    <button class="btn q ico-only" type="button" aria-label={label} disabled={beside === undefined} onClick={() => visitWindowBeside(steps)}>
      <Icon name={icon} />
    </button>
  );
}

/** Windows that came while another is read: said, and opened only when asked to. */
function NewWindows() {
  const newest = newWindows.value.at(-1);
  return (
    <span role="status">
      {newest !== undefined && (
        <button class="chip acc" type="button" onClick={() => visitWindow({ window: newest.window })}>
          {formatCounted(newWindows.value.length, "new window")}
        </button>
      )}
    </span>
  );
}
