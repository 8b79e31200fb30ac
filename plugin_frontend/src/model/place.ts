// What the tab shows, as the address bar holds it: `#tbprof&p.tbprof.run=...`.

import { GROUPINGS, type Grouping } from "./sites/grouping.ts";
import { SORT_KEYS, type SortKey } from "./sites/sorting.ts";
import { VIEWS, type ViewName } from "./views.ts";

/** Null run, worker or window: the default is shown. */
export interface Place {
  run: string | null;
  worker: string | null;
  window: string | null;
  view: ViewName;
  /** What the window is compared with; null: what one would expect. */
  beforeRun: string | null;
  beforeWorker: string | null;
  beforeWindow: string | null;
  /** The figure that Trends draws; null: the first. */
  metric: string | null;
  /** Runs that Trends draws beside the one that is shown. */
  beside: readonly string[];
  /** Index of the site whose drawer is open. */
  site: number | null;
  /** Code of the rule whose page is open, over the drawer. */
  rule: string | null;
  health: boolean;
  /** The file of the Source view; null: the one that costs most. */
  file: string | null;
  line: number | null;
  /** Index of the step that the timeline shows. */
  step: number | null;
  /** What is selected in the timeline, as `printSelected` writes it. */
  selected: string | null;
  /** The part of the window that the timeline shows, in ns since its first event. */
  fromNs: number | null;
  toNs: number | null;
  /** What the flame graph nests by; null: the first that was recorded. */
  by: string | null;
  /** Whose time it shows. */
  time: "device" | "host";
  /** Index of the node that fills its width; null: where most of the time begins to part. */
  zoom: number | null;
  /** Whose memory is shown; null: that of the first device. */
  device: string | null;
  /** The moment whose holders are listed, in ns since the first event; null: the peak. */
  momentNs: number | null;
  /** What a table of the trace counts. */
  scope: "steps" | "trace";
  /** Its columns by key; null: those that it begins with. */
  columns: readonly string[] | null;
  /** What it is sorted by, as `printRanking` writes it; null: by importance. */
  ranked: string | null;
  /** Place of its row whose drawer is open, among all rows by importance. */
  row: number | null;
  sort: SortKey;
  descending: boolean;
  /** What the list of sites is grouped by. */
  group: Grouping;
  filter: string;
}

/** No place in the timeline, the flame graph or a table: what another window is opened at. */
export const NOWHERE = { step: null, selected: null, fromNs: null, toNs: null, zoom: null, device: null, momentNs: null, row: null };

/** What is of one table only: another view is opened without it. */
const OF_ONE_TABLE = { columns: null, ranked: null, row: null };

/** The same window in another view; what runs were looked for is none of a window's. */
export function inView(place: Place, view: ViewName): Place {
  if (view === place.view) return place;
  const filter = view === "fleet" || place.view === "fleet" ? "" : place.filter;
  return { ...place, ...OF_ONE_TABLE, filter, view };
}

export const START: Place = {
  run: null,
  worker: null,
  window: null,
  view: "overview",
  beforeRun: null,
  beforeWorker: null,
  beforeWindow: null,
  metric: null,
  beside: [],
  site: null,
  rule: null,
  health: false,
  file: null,
  line: null,
  ...NOWHERE,
  by: null,
  time: "device",
  scope: "steps",
  columns: null,
  ranked: null,
  sort: "saving",
  descending: true,
  group: "action",
  filter: "",
};

/** What links of earlier versions call the view of all ranks. */
const FORMER_JOB = "ranks";

const PLUGIN = "tbprof";
const PREFIX = `p.${PLUGIN}.`;
/** Between names of runs: no path holds it. */
const SEPARATOR = "\n";

/** Reads an address; null if it is that of another tab. Values that make no sense are left out. */
export function parsePlace(hash: string): Place | null {
  const parts = hash.replace(/^#/, "").split("&");
  if (parts[0] !== PLUGIN && parts[0] !== "") return null;
  const values = new Map(parts.slice(1).flatMap(parsePair));
  const named = values.get("view");
  const view = VIEWS.find((name) => name === (named === FORMER_JOB ? "job" : named));
  const sort = SORT_KEYS.find((key) => key === values.get("sort"));
  return {
    run: values.get("run") ?? null,
    worker: values.get("worker") ?? null,
    window: values.get("window") ?? null,
    view: view ?? START.view,
    beforeRun: values.get("before_run") ?? null,
    beforeWorker: values.get("before_worker") ?? null,
    beforeWindow: values.get("before_window") ?? null,
    metric: values.get("metric") ?? null,
    beside: values.get("beside")?.split(SEPARATOR) ?? [],
    site: parseIndex(values.get("site")),
    rule: values.get("rule") ?? null,
    health: values.get("health") === "1",
    file: values.get("file") ?? null,
    line: parseIndex(values.get("line")),
    step: parseIndex(values.get("step")),
    selected: values.get("selected") ?? null,
    fromNs: parseIndex(values.get("start")),
    toNs: parseIndex(values.get("end")),
    by: values.get("by") ?? null,
    time: values.get("time") === "host" ? "host" : START.time,
    zoom: parseIndex(values.get("zoom")),
    device: values.get("device") ?? null,
    momentNs: parseIndex(values.get("moment")),
    scope: values.get("scope") === "trace" ? "trace" : START.scope,
    columns: values.get("columns")?.split(",") ?? null,
    ranked: values.get("ranked") ?? null,
    row: parseIndex(values.get("row")),
    sort: sort ?? START.sort,
    descending: values.get("order") !== "up",
    group: GROUPINGS.find((name) => name === values.get("group")) ?? START.group,
    filter: values.get("filter") ?? "",
  };
}

/** The address of a place; what is as at the start is left out. */
export function printPlace(place: Place): string {
  const pairs: [string, string | null][] = [
    ["run", place.run],
    ["worker", place.worker],
    ["window", place.window],
    ["before_run", place.beforeRun],
    ["before_worker", place.beforeWorker],
    ["before_window", place.beforeWindow],
    ["view", place.view === START.view ? null : place.view],
    ["metric", place.metric],
    ["beside", place.beside.length === 0 ? null : place.beside.join(SEPARATOR)],
    ["site", numbered(place.site)],
    ["rule", place.rule],
    ["health", place.health ? "1" : null],
    ["file", place.file],
    ["line", place.line === null ? null : String(place.line)],
    ["step", numbered(place.step)],
    ["selected", place.selected],
    ["start", numbered(place.fromNs)],
    ["end", numbered(place.toNs)],
    ["by", place.by],
    ["time", place.time === START.time ? null : place.time],
    ["zoom", numbered(place.zoom)],
    ["device", place.device],
    ["moment", numbered(place.momentNs)],
    ["scope", place.scope === START.scope ? null : place.scope],
    ["columns", place.columns === null ? null : place.columns.join(",")],
    ["ranked", place.ranked],
    ["row", numbered(place.row)],
    ["sort", place.sort === START.sort ? null : place.sort],
    ["order", place.descending ? null : "up"],
    ["group", place.group === START.group ? null : place.group],
    ["filter", place.filter === "" ? null : place.filter],
  ];
  const kept = pairs.flatMap(([name, value]) => (value === null ? [] : [`${PREFIX}${name}=${encodeURIComponent(value)}`]));
  return `#${[PLUGIN, ...kept].join("&")}`;
}

function parsePair(part: string): [string, string][] {
  const cut = part.indexOf("=");
  if (cut < 0 || !part.startsWith(PREFIX)) return [];
  try {
    return [[part.slice(PREFIX.length, cut), decodeURIComponent(part.slice(cut + 1))]];
  } catch {
    return []; // A link cut in the middle of an escape.
  }
}

function numbered(number: number | null): string | null {
  return number === null ? null : String(Math.round(number));
}

function parseIndex(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
