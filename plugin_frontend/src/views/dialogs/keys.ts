// The keys of the tab; off in text fields, lists and with Ctrl, Alt or Meta.

import { signal } from "@preact/signals";
import { formatLocation } from "../../format/place.ts";
import { type CodePlace, placeOf } from "../../model/source/code.ts";
import { VIEWS } from "../../model/views.ts";
import { copyText } from "../../state/notice.ts";
import { place, visit } from "../../state/place.ts";
import { views, visitWindowBeside, visitWorkerBeside } from "../../state/runs/runs.ts";
import { closeDrawer, currentSite, moveSite, openSite, showInTimeline, visitSite } from "../../state/sites/sites.ts";
import { openEditor } from "../../state/source/editor.ts";
import { moveRemark, openFile, openLine, visitCode } from "../../state/source/source.ts";
import { windowView } from "../../state/windowAnswer.ts";

export const keysOpen = signal(false);

/** What further keys do in the view that is open. */
export const viewActions = signal<Readonly<Record<string, () => void>>>({});

/** What the list of keys shows, in its order. */
export const KEYS: readonly { keys: string; does: string; needsDevice?: true }[] = [
  { keys: `1 – ${Math.min(VIEWS.length - 1, 9)}`, does: "Switch view" },
  { keys: "0", does: "All runs" },
  { keys: "[  ]", does: "Previous, next window" },
  { keys: "{  }", does: "Previous, next rank" },
  { keys: "/", does: "Filter" },
  { keys: "j  k", does: "Next, previous row or remark; arrows too" },
  { keys: "Enter", does: "Open the selected row or box" },
  { keys: "Esc", does: "Close, clear selection; flame graph: zoom out" },
  { keys: "o  e", does: "Show in Source, open in your editor" },
  { keys: "t", does: "Show in the timeline" },
  { keys: "w  s", does: "Timeline: zoom in, out" },
  { keys: "a  d", does: "Timeline: pan" },
  { keys: ".  ,", does: "Timeline: next, previous episode", needsDevice: true },
  { keys: "g", does: "Timeline: next largest gap", needsDevice: true },
  { keys: "f", does: "Timeline: fit the selection" },
  { keys: "<  >", does: "Timeline: previous, next step" },
  { keys: "← → ↑ ↓", does: "Flame graph: move to the neighbor, parent or child" },
  { keys: "p", does: "Timeline: this step in Perfetto" },
  { keys: "y", does: "Copy path:line" },
  { keys: "?", does: "This list" },
];

const ACTIONS: Record<string, () => void> = {
  ...Object.fromEntries(VIEWS.map((_, at) => [String(at + 1), () => visitView(at)])),
  "0": visitFleet,
  "[": () => visitWindowBeside(-1),
  "]": () => visitWindowBeside(1),
  "{": () => visitWorkerBeside(-1),
  "}": () => visitWorkerBeside(1),
  "/": () => document.querySelector<HTMLInputElement>("#filter")?.focus(),
  j: () => (place.peek().view === "source" ? moveRemark(1) : moveSite(1)),
  k: () => (place.peek().view === "source" ? moveRemark(-1) : moveSite(-1)),
  o: () => withCurrentPlace(visitCode),
  e: () => withCurrentPlace(openEditor),
  Escape: closeDrawer,
  t: showCurrentInTimeline,
  y: () => withCurrentPlace((code) => void copyText(formatLocation(code), "Location")),
  "?": () => (keysOpen.value = true),
};

/** The view of a window at that place in the bar, if there is one. */
function visitView(at: number): void {
  const view = views.peek().filter((name) => name !== "fleet")[at];
  if (view !== undefined) visit({ view });
}

function visitFleet(): void {
  if (views.peek().includes("fleet")) visit({ view: "fleet" });
}

/** Keys that act only where rows are: elsewhere they scroll, and press buttons. */
const ROW_ACTIONS: Record<string, () => void> = {
  ArrowDown: () => moveSite(1),
  ArrowUp: () => moveSite(-1),
  Enter: openCurrentSite,
};

export function handleKey(event: KeyboardEvent): void {
  const target = event.target instanceof Element ? event.target : document.body;
  // An open dialog has the keys, wherever the focus is: what had it may be gone.
  if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog:modal") !== null) return;
  if (target.closest("input, textarea, select") !== null) {
    if (event.key === "Escape" && target instanceof HTMLElement) target.blur();
    return;
  }
  const action = viewActions.peek()[event.key] ?? ACTIONS[event.key] ?? (isAmongRows(target) ? ROW_ACTIONS[event.key] : undefined);
  if (action === undefined) return;
  event.preventDefault();
  action();
}

function isAmongRows(target: Element): boolean {
  if (target === document.body) return true;
  return target.closest(".sites") !== null && target.closest("button, a, summary") === null;
}

function openCurrentSite(): void {
  const index = currentSite.peek();
  if (index !== null) visitSite(index);
}

function showCurrentInTimeline(): void {
  const index = currentSite.peek();
  if (index !== null) showInTimeline(index);
}

/** The place of the site that the keys stand on, or of the line of the Source view. */
function withCurrentPlace(act: (code: CodePlace) => void): void {
  const current = currentPlace();
  if (current !== null) act(current);
}

function currentPlace(): CodePlace | null {
  const file = openFile.peek();
  if (place.peek().view === "source" && openSite.peek() === null) {
    return file === null ? null : { file: file.path, line: openLine.peek() };
  }
  const source = windowView.peek()?.sites.find((row) => row.index === currentSite.peek())?.source;
  return source == null ? null : placeOf(source);
}
