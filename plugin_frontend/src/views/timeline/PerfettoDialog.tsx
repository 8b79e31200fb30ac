import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { handToPerfetto, PERFETTO } from "../../api/perfetto.ts";
import { fetchExcerpt } from "../../api/timeline.ts";
import type { TimelineView } from "../../api/types.ts";
import { failureOf } from "../../state/loading/loaded.ts";
import { stepIndex, timelineAddress } from "../../state/timeline/timeline.ts";
import { perfettoOpen } from "./perfetto.ts";
import { stepName } from "./stepName.ts";

type State = "opening" | "there" | "blocked" | "silent" | { failure: string };

/** The step in Perfetto, in a frame; what was found is a process of its own named tbprof. */
export function PerfettoDialog({ timeline }: { timeline: TimelineView }) {
  return perfettoOpen.value ? <Open name={stepName(timeline.steps[stepIndex.value]?.name ?? "")} /> : null;
}

function Open({ name }: { name: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [state, setState] = useState<State>("opening");
  // Not an effect that waits for the next picture: the browser may have refused the frame by then.
  useLayoutEffect(() => {
    dialog.current?.showModal();
    const control = new AbortController();
    // TensorBoard before 2.21 does not allow the frame.
    document.addEventListener("securitypolicyviolation", (event) => event.blockedURI.startsWith(PERFETTO) && setState("blocked"), { signal: control.signal });
    const target = frame.current?.contentWindow ?? null;
    if (target !== null) void hand(target, name, control.signal).then((next) => control.signal.aborted || setState((now) => (now === "blocked" ? now : next)));
    return () => control.abort();
  }, []);
  return (
    <dialog ref={dialog} class="perfetto" aria-labelledby="perfetto-title" onClose={() => (perfettoOpen.value = false)}>
      <div class="row">
        <h2 id="perfetto-title" class="grow">
          {name} in Perfetto
        </h2>
        <span role="status" class="s12 t3">
          {sentenceOf(state)}
        </span>
        <button class="btn sm" type="button" onClick={() => void download(name, setState)}>
          Download this step
        </button>
        <button class="btn sm" type="button" onClick={() => void openWindow(name, setState)}>
          Open in a new window
        </button>
        <button class="btn sm" type="button" onClick={() => dialog.current?.close()}>
          Close <span class="kbd">Esc</span>
        </button>
      </div>
      {isShown(state) && <iframe class={state === "there" ? "" : "unseen"} ref={frame} title="Perfetto" src={`${PERFETTO}/#!/?mode=embedded`} />}
    </dialog>
  );
}

/** A page that never came would be the browser's picture of a broken one. */
function isShown(state: State): boolean {
  return state === "opening" || state === "there";
}

function sentenceOf(state: State): string {
  if (typeof state === "object") return state.failure;
  switch (state) {
    case "opening":
      return "The step goes from this page to Perfetto's within your browser.";
    case "there":
      return "Perfetto has the step. What was found is its process tbprof.";
    case "blocked":
      return "This TensorBoard does not let Perfetto into its page: open it in a new window.";
    case "silent":
      return "Perfetto did not answer: its page needs the internet. The timeline here does not.";
  }
}

async function hand(target: Window, name: string, signal: AbortSignal): Promise<State> {
  const address = timelineAddress();
  if (address === null) return "silent";
  try {
    const buffer = await fetchExcerpt(address, stepIndex.peek(), signal);
    return (await handToPerfetto(target, buffer, name, signal)) ? "there" : "silent";
  } catch (error) {
    return { failure: failureOf(error).message };
  }
}

/** The step as a file that Perfetto, or another viewer, opens. */
async function download(name: string, tell: (state: State) => void): Promise<void> {
  const address = timelineAddress();
  if (address === null) return;
  try {
    const buffer = await fetchExcerpt(address, stepIndex.peek(), new AbortController().signal);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([buffer], { type: "application/json" }));
    link.download = `${name.replace(/\W+/g, "-")}.json`;
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (error) {
    tell({ failure: failureOf(error).message });
  }
}

async function openWindow(name: string, tell: (state: State) => void): Promise<void> {
  const opened = window.open(PERFETTO);
  if (opened === null) tell({ failure: "The browser did not open a window: allow it for this page." });
  else tell(await hand(opened, name, new AbortController().signal));
}
