// A page that carries its windows with it, made to be sent to somebody: nothing is asked of a server.

import type {
  ChecksView,
  FindingText,
  JobAnswer,
  ManualPage,
  RanksView,
  RulePage,
  RunsView,
  SourceAnswer,
  TableView,
  TrendView,
  WindowAnswer,
} from "./types.ts";

/** A window, with what the routes would answer of it. */
export interface EmbeddedWindow {
  run: string;
  worker: string;
  window: string;
  answer: WindowAnswer;
  source: SourceAnswer;
  findings: FindingText[];
  checks: ChecksView;
  timeline: EmbeddedTimeline | null;
  /** The largest rows of each, by its name; null where the page carries none of the window. */
  tables: Record<string, TableView> | null;
}

/** One step of a window. */
interface EmbeddedTimeline {
  /** A sentence: which step, and why. */
  about: string;
  data: string;
  /** By level and number. */
  tiles: Record<string, string>;
}

export interface EmbeddedPage {
  runs: RunsView;
  windows: EmbeddedWindow[];
  ranks: { run: string; number: number; view: RanksView }[];
  /** Of runs with several ranks. */
  jobs: { run: string; number: number; view: JobAnswer }[];
  trends: { run: string; worker: string; view: TrendView }[];
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
