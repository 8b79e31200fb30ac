// The plugin's routes. Addresses are relative to the page's base, so that the tab works
// after any path prefix or proxy.

import { type EmbeddedPage, type EmbeddedWindow, embedded } from "./embedded.ts";
import { RouteError } from "./routeError.ts";
import { joinedPages } from "./runPages.ts";
import type {
  CompareAnswer,
  FindingText,
  JobAnswer,
  ManualPage,
  RanksView,
  RulePage,
  RunsVersion,
  RunsView,
  RunTimeView,
  SessionView,
  SourceAnswer,
  TrendView,
  WindowAnswer,
} from "./types.ts";

/** Names one window of one worker; the three parameters of the route `window`. */
export interface WindowAddress {
  run: string;
  worker: string;
  window: string;
}

/** How often the list is begun anew where it changes while it is read page by page. */
const ATTEMPTS = 3;

/** All runs, page after page. */
export async function fetchRuns(signal: AbortSignal): Promise<RunsView> {
  if (embedded !== null) return embedded.runs;
  for (let attempt = 1; ; attempt++) {
    const first = await fetchJson<RunsView>("runs", {}, signal);
    const others: RunsView[] = [];
    for (let next = first.next_page; next !== null; ) {
      const page = await fetchJson<RunsView>("runs", { page: String(next) }, signal);
      others.push(page);
      next = page.next_page;
    }
    const isOneList = others.every((page) => page.version === first.version);
    if (isOneList || attempt === ATTEMPTS) return joinedPages(first, others);
  }
}

/** What changes with the list of windows, and with the files of one. */
export function fetchVersion(address: WindowAddress | null, signal: AbortSignal): Promise<RunsVersion> {
  return fetchJson<RunsVersion>("version", { ...address }, signal);
}

export function fetchSession(signal: AbortSignal): Promise<SessionView> {
  return fetchJson<SessionView>("session", {}, signal);
}

/** Where the time of a run went since its start. */
export function fetchRunTime(run: string, signal: AbortSignal): Promise<RunTimeView> {
  return fetchJson<RunTimeView>("run_time", { run }, signal);
}

export function fetchWindow(address: WindowAddress, signal: AbortSignal): Promise<WindowAnswer> {
  return embedded === null ? fetchJson<WindowAnswer>("window", { ...address }, signal) : embeddedWindow(embedded, address).then((row) => row.answer);
}

export function fetchSource(address: WindowAddress, signal: AbortSignal): Promise<SourceAnswer> {
  return embedded === null ? fetchJson<SourceAnswer>("source", { ...address }, signal) : embeddedWindow(embedded, address).then((row) => row.source);
}

/** A finding as markdown, by its fingerprint. */
export function fetchFinding(address: WindowAddress, fingerprint: string, signal: AbortSignal): Promise<FindingText> {
  if (embedded === null) return fetchJson<FindingText>("finding", { ...address, finding: fingerprint }, signal);
  return embeddedWindow(embedded, address).then(({ findings }) => {
    const text = findings.find((row) => row.fingerprint === fingerprint);
    if (text === undefined) throw new RouteError("This page does not carry that finding.");
    return text;
  });
}

/** What a page carries of a window; rejects where it is not in the page. */
export async function embeddedWindow(page: EmbeddedPage, address: WindowAddress): Promise<EmbeddedWindow> {
  const found = findEmbedded(page, address);
  if (found === undefined) throw new RouteError("This page does not carry that window.");
  return found;
}

export function findEmbedded(page: EmbeddedPage, { run, worker, window }: WindowAddress): EmbeddedWindow | undefined {
  return page.windows.find((row) => row.run === run && row.worker === worker && row.window === window);
}

/** The window of the place `number` in line, from 1 on, of every worker of a run. */
export function fetchRanks(run: string, number: number, first: number | null, signal: AbortSignal): Promise<RanksView> {
  const part = first === null ? {} : { from: String(first) };
  if (embedded === null) return fetchJson<RanksView>("ranks", { run, number: String(number), ...part }, signal);
  return viewOf(embedded.ranks.find((row) => row.run === run && row.number === number));
}

/** All ranks of a run together. */
export function fetchJob(run: string, number: number, signal: AbortSignal): Promise<JobAnswer> {
  if (embedded === null) return fetchJson<JobAnswer>("job", { run, number: String(number) }, signal);
  return viewOf(embedded.jobs.find((row) => row.run === run && row.number === number));
}

export function fetchTrend(run: string, worker: string, signal: AbortSignal): Promise<TrendView> {
  if (embedded === null) return fetchJson<TrendView>("trend", { run, worker }, signal);
  return viewOf(embedded.trends.find((row) => row.run === run && row.worker === worker));
}

function viewOf<View>(found: { view: View } | undefined): Promise<View> {
  return found === undefined ? Promise.reject(new RouteError("This page does not carry that run.")) : Promise.resolve(found.view);
}

/** What is different in the second window. */
export function fetchComparison(before: WindowAddress, after: WindowAddress, signal: AbortSignal): Promise<CompareAnswer> {
  const other = { before_run: before.run, before_worker: before.worker, before_window: before.window };
  return fetchJson<CompareAnswer>("compare", { ...other, ...after }, signal);
}

export function fetchRule(code: string, signal: AbortSignal): Promise<RulePage> {
  if (embedded === null) return fetchJson<RulePage>("rule", { code }, signal);
  const page = embedded.rules.find((rule) => rule.code === code);
  return page === undefined ? Promise.reject(new RouteError(`This page does not carry rule ${code}.`)) : Promise.resolve(page);
}

/** A page of the manual by its name. */
export function fetchManual(page: string, signal: AbortSignal): Promise<ManualPage> {
  if (embedded === null) return fetchJson<ManualPage>("manual", { page }, signal);
  const found = embedded.manual.find(({ name }) => name === page);
  return found === undefined ? Promise.reject(new RouteError(`This page does not carry the manual's page ${page}.`)) : Promise.resolve(found);
}

/** Reads one route. The shapes are the server's own records, so they are not checked again. */
export async function fetchJson<Answer>(route: string, parameters: Record<string, string>, signal: AbortSignal): Promise<Answer> {
  return whole(route, parameters, signal, (response) => response.json() as Promise<Answer>);
}

/** Reads a route that answers with plain bytes. */
export async function fetchBytes(route: string, parameters: Record<string, string>, signal: AbortSignal): Promise<ArrayBuffer> {
  return whole(route, parameters, signal, (response) => response.arrayBuffer());
}

async function whole<Answer>(
  route: string,
  parameters: Record<string, string>,
  signal: AbortSignal,
  read: (response: Response) => Promise<Answer>,
): Promise<Answer> {
  const url = new URL(route, document.baseURI);
  url.search = new URLSearchParams(parameters).toString();
  const response = await answerOf(url, signal);
  if (!response.ok) throw new RouteError(await refusalOf(response), retryAfterMs(response));
  try {
    return await read(response);
  } catch (error) {
    if (signal.aborted) throw error;
    throw new RouteError(`The answer of ${url.pathname} broke off. Reload the page to ask again.`);
  }
}

async function answerOf(url: URL, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { signal, headers: { accept: "application/json" } });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new RouteError("TensorBoard does not answer. Check that it still runs, then try again.");
  }
}

/** When to ask again; null where the server does not say that it is only busy. */
function retryAfterMs(response: Response): number | null {
  const seconds = Number(response.headers.get("retry-after") ?? "");
  return response.status === 503 && seconds > 0 ? seconds * 1_000 : null;
}

/** The server's own sentence, or the bare status where a proxy answered in its place. */
async function refusalOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const body: unknown = JSON.parse(text);
    if (isRefusal(body)) return body.error;
  } catch {
    // Not JSON: a proxy's own page.
  }
  return `TensorBoard answered ${response.status} ${response.statusText} to ${new URL(response.url).pathname}.`;
}

function isRefusal(body: unknown): body is { error: string } {
  return typeof body === "object" && body !== null && "error" in body && typeof body.error === "string";
}
