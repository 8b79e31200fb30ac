// The views of the tab, each declared once, in the order of their names in the bar and of their keys.
// What draws a view is named in `views/frame/MainPart.tsx`.

import type { SiteRow, WindowView } from "../api/types.ts";

/** The questions that views answer, in the order of the bar. */
export const GROUPS = ["All runs", "Answer", "Where", "What", "How it changed"] as const;
export type ViewGroup = (typeof GROUPS)[number];

interface Extent {
  /** A page that carries its windows has no flame graph, and can't have any two of them compared. */
  hasServer: boolean;
  /** A page carries a step of the newest windows only. */
  hasTimeline: boolean;
  /** A page carries tables of the newest windows only. */
  hasTables: boolean;
  /** Of the shown run. */
  workers: number;
  /** Of the shown worker. */
  windows: number;
  /** Of all runs. */
  allWindows: number;
  runs: number;
  hasSession: boolean;
}

interface ViewDeclaration {
  title: string;
  group: ViewGroup;
  /** Whether there can be something to show; without it there always can. */
  when?: (extent: Extent) => boolean;
  /** Whether it has something to say, and so is worth a tab, of a window that may not be read yet; without it, it always has. */
  says?: (window: WindowView | null, workers: number, hasRunTime: boolean) => boolean;
  /** Whether it opens with what its figures are of, or is not of this window alone; else that is said above it. */
  hasOwnScope?: true;
}

/** A rank that talks to no other one needs no view of that, and none of a job. */
function communicates(window: WindowView | null): boolean {
  return window !== null && window.communication !== null;
}

const DECLARED = {
  fleet: { title: "Fleet", group: "All runs", when: ({ hasServer, runs }) => hasServer && runs > 1, hasOwnScope: true },
  overview: { title: "Overview", group: "Answer", hasOwnScope: true },
  checks: { title: "Checks", group: "Answer" },
  syncs: { title: "Sync points", group: "Where" },
  copies: { title: "Copies", group: "Where" },
  timeline: { title: "Timeline", group: "Where", when: ({ hasTimeline }) => hasTimeline },
  source: { title: "Source", group: "Where" },
  flame: { title: "Flame graph", group: "What", when: ({ hasServer }) => hasServer },
  operators: { title: "Operators", group: "What", when: ({ hasTables }) => hasTables },
  kernels: { title: "Kernels", group: "What", when: ({ hasTables }) => hasTables },
  modules: { title: "Modules", group: "What", when: ({ hasServer }) => hasServer },
  memory: {
    title: "Memory",
    group: "What",
    when: ({ hasServer }) => hasServer,
    says: (window) => window?.records_memory === true,
  },
  communication: { title: "Communication", group: "What", says: communicates },
  job: {
    title: "Job",
    group: "What",
    when: ({ hasServer, workers }) => hasServer || workers > 1,
    says: (window, workers) => workers > 1 || communicates(window),
    hasOwnScope: true,
  },
  compare: {
    title: "Compare",
    group: "How it changed",
    when: ({ hasServer, allWindows }) => hasServer && allWindows > 1,
    hasOwnScope: true,
  },
  trends: { title: "Trends", group: "How it changed", when: ({ windows }) => windows > 1, hasOwnScope: true },
  run: { title: "Run", group: "How it changed", when: ({ hasServer }) => hasServer, says: (_, __, hasRunTime) => hasRunTime, hasOwnScope: true },
  session: { title: "Session", group: "How it changed", when: ({ hasSession }) => hasSession, hasOwnScope: true },
} satisfies Record<string, ViewDeclaration>;

export type ViewName = keyof typeof DECLARED;
export const VIEWS = Object.keys(DECLARED) as readonly ViewName[];

/** What is declared of a view. */
export function declared(view: ViewName): ViewDeclaration {
  return DECLARED[view];
}

/** The views that have something to show: the timeline and the flame graph draw a trace, others put several of something side by side. */
export function viewsFor(extent: Extent): ViewName[] {
  return VIEWS.filter((view) => declared(view).when?.(extent) ?? true);
}

/** The sites that a view lists: those that wait, or those that copy; some do both. */
export function sitesOf(view: ViewName, sites: readonly SiteRow[]): SiteRow[] {
  return sites.filter((site) => (view === "copies" ? site.direction !== "" : site.blocking > 0));
}
