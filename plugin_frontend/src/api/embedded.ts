// A page that carries its one window with it, made to be sent to somebody: nothing is asked of a server.

import type { FindingText, RulePage, RunsView, SourceAnswer, WindowAnswer } from "./types.ts";

export interface EmbeddedPage {
  runs: RunsView;
  window: WindowAnswer;
  source: SourceAnswer;
  findings: FindingText[];
  rules: RulePage[];
}

/** The element that holds it; `tbprof report --format html` writes it. */
const ELEMENT = "tbprof-data";

/** What the page carries; null inside TensorBoard. */
export const embedded: EmbeddedPage | null = readEmbedded();

function readEmbedded(): EmbeddedPage | null {
  const text = document.getElementById(ELEMENT)?.textContent;
  return text ? (JSON.parse(text) as EmbeddedPage) : null;
}
