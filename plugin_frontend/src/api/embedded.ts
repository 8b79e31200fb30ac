// A page that carries its windows with it, made to be sent to somebody: nothing is asked of a server.

import type { FindingText, ManualPage, RulePage, RunsView, SourceAnswer, WindowAnswer } from "./types.ts";

/** A window, with what the routes would answer of it. */
export interface EmbeddedWindow {
  run: string;
  worker: string;
  window: string;
  answer: WindowAnswer;
  source: SourceAnswer;
  findings: FindingText[];
}

export interface EmbeddedPage {
  runs: RunsView;
  windows: EmbeddedWindow[];
  rules: RulePage[];
  manual: ManualPage[];
}

/** The element that holds it; `tbprof report --format html` writes it. */
const ELEMENT = "tbprof-data";

/** What the page carries; null inside TensorBoard. */
export const embedded: EmbeddedPage | null = readEmbedded();

function readEmbedded(): EmbeddedPage | null {
  const text = document.getElementById(ELEMENT)?.textContent;
  return text ? (JSON.parse(text) as EmbeddedPage) : null;
}
