// The columns of the table of sites: their heads and what stands in them.

import type { JSX } from "preact";
import type { SiteRow, StepRow } from "../../api/types.ts";
import { Bracket } from "../../draw/bars/Bracket.tsx";
import { WaitBar } from "../../draw/bars/WaitBar.tsx";
import { StepSparkline } from "../../draw/charts/StepSparkline.tsx";
import { type DurationUnit, formatDurationIn, formatExact } from "../../format/duration.ts";
import { formatCount, formatMean, formatShare, NOT_RECORDED } from "../../format/number.ts";
import { formatChain } from "../../format/place.ts";
import { formatLimit } from "../../format/saving.ts";
import { formatSize } from "../../format/size.ts";
import { formatGigabytes } from "../../format/speed.ts";
import type { Grouping } from "../../model/sites/grouping.ts";
import { bestSaving, explainedShare, hostWait, meanPerStep, type SortKey, siteLabel } from "../../model/sites/sorting.ts";
import type { ViewName } from "../../model/views.ts";
import { CopyMemory as Memory, NonBlocking } from "../copies/CopyFlags.tsx";
import { SiteCell } from "./SiteCell.tsx";

/** What all rows of one table share. */
export interface TableScale {
  /** One for waits and savings, so that they compare at a glance. */
  unit: DurationUnit;
  longest_us: number;
  largestSaving_us: number;
  steps: readonly StepRow[];
  /** Else the whole window counts as one. */
  marksSteps: boolean;
  /** Whether the op chain has a column of its own. */
  showsOps: boolean;
}

export interface Column {
  key: SortKey;
  head: (scale: TableScale) => string;
  className: string;
  cell: (site: SiteRow, scale: TableScale) => JSX.Element | string;
}

const NOT_APPLICABLE = "—";

const SITE: Column = {
  key: "site",
  head: () => "Site",
  className: "c-site",
  cell: (site, { showsOps }) => <SiteCell site={site} showsOps={showsOps} />,
};
const OPS: Column = {
  key: "ops",
  head: () => "Ops",
  className: "c-ops",
  cell: (site) => <Chain text={formatChain(site.ops)} />,
};
const LABEL: Column = {
  key: "label",
  head: () => "Label, module",
  className: "c-label",
  cell: (site) => <Chain text={siteLabel(site) ?? ""} />,
};
const WAITING: readonly Column[] = [
  {
    key: "perStep",
    head: ({ marksSteps }) => (marksSteps ? "Per step" : "In window"),
    className: "c-step",
    cell: (site, { steps }) => <PerStep site={site} steps={steps} />,
  },
  { key: "count", head: () => "Count", className: "c-count num", cell: (site) => formatCount(site.count) },
  {
    key: "wait",
    head: ({ unit }) => `Wait, ${unit}`,
    className: "c-wait",
    cell: (site, { unit, longest_us }) => (
      <>
        <span title={formatExact(site.wait_us)}>{formatDurationIn(site.wait_us, unit)}</span>
        <WaitBar wait_us={site.wait_us} explained_us={site.explained_us} longest_us={longest_us} />
      </>
    ),
  },
  {
    key: "explained",
    head: () => "Explained",
    className: "c-explained num",
    cell: (site) => (site.wait_us > 0 ? formatShare(explainedShare(site)) : NOT_APPLICABLE),
  },
  {
    key: "starve",
    head: ({ unit }) => `GPU starved, ${unit}`,
    className: "c-starve num",
    cell: (site, { unit }) => <span title={formatExact(site.starve_us)}>{formatDurationIn(site.starve_us, unit)}</span>,
  },
  {
    key: "share",
    head: ({ marksSteps }) => (marksSteps ? "Of step" : "Of window"),
    className: "c-share num",
    cell: (site) => formatShare(site.share_of_steps),
  },
];
const SAVING: Column = {
  key: "saving",
  head: ({ unit, marksSteps }) => (marksSteps ? `Saves, ${unit} a step` : `Saves, ${unit}`),
  className: "c-saving",
  cell: (site, scale) => <SavingCell site={site} scale={scale} />,
};

const COPYING: readonly Column[] = [
  { key: "count", head: () => "Copies", className: "c-count num", cell: (site) => formatCount(site.count) },
  {
    key: "size",
    head: () => "Size",
    className: "c-size num",
    cell: (site) => <span title={`${formatCount(site.bytes)} bytes`}>{formatSize(site.bytes)}</span>,
  },
  { key: "memory", head: () => "Memory", className: "c-memory", cell: (site) => <Memory site={site} /> },
  { key: "nonBlocking", head: () => "non_blocking", className: "c-flag", cell: (site) => <NonBlocking site={site} /> },
  { key: "speed", head: () => "GB/s", className: "c-speed num", cell: (site) => formatGigabytes(site.bytes_per_s) },
  {
    key: "wait",
    head: ({ unit }) => `Blocked, ${unit}`,
    className: "c-starve num",
    cell: (site, { unit }) => <Blocked wait_us={hostWait(site)} unit={unit} />,
  },
  {
    key: "hidden",
    head: ({ unit }) => `Not hidden, ${unit}`,
    className: "c-hidden num",
    cell: (site, { unit }) => (site.exposed_us === null ? NOT_RECORDED : formatDurationIn(site.exposed_us, unit)),
  },
];

/** From which width of the table on a column is shown; the drawer holds all of them. */
const LEAST_WIDTHS: Partial<Record<SortKey, number>> = { ops: 1240, label: 1500, count: 1080, explained: 820, share: 980, nonBlocking: 900 };

/** What is known of a site in one step. */
const OF_A_STEP: ReadonlySet<SortKey> = new Set(["site", "ops", "count", "wait"]);

/**
 * The columns that these sites fill and that fit: no label column without labels, no savings
 * without any.
 */
export function columnsOf(view: ViewName, group: Grouping, sites: readonly SiteRow[], width: number): readonly Column[] {
  const labels = sites.some((site) => siteLabel(site) !== null) ? [LABEL] : [];
  const savings = sites.some((site) => bestSaving(site) !== null) ? [SAVING] : [];
  const ops = view === "copies" ? [] : [OPS];
  const all = [SITE, ...ops, ...labels, ...(view === "copies" ? COPYING : WAITING), ...savings];
  return all.filter(({ key }) => (group === "step" ? OF_A_STEP.has(key) : width >= (LEAST_WIDTHS[key] ?? 0)));
}

function Blocked({ wait_us, unit }: { wait_us: number | null; unit: DurationUnit }) {
  return wait_us === null ? NOT_APPLICABLE : <span title={formatExact(wait_us)}>{formatDurationIn(wait_us, unit)}</span>;
}

function Chain({ text }: { text: string }) {
  return (
    <span class="mono ell block" title={text}>
      <bdi>{text === "" ? NOT_APPLICABLE : text}</bdi>
    </span>
  );
}

function PerStep({ site, steps }: { site: SiteRow; steps: readonly StepRow[] }) {
  const mean = meanPerStep(site);
  if (mean === null) return <>{NOT_APPLICABLE}</>;
  return (
    <div class="row">
      <span class="per-step">{formatMean(mean)}</span>
      {site.wait_per_step_us.length > 1 && <StepSparkline times_us={site.wait_per_step_us} cold={steps.map((step) => step.cold)} what="wait" />}
    </div>
  );
}

function SavingCell({ site, scale }: { site: SiteRow; scale: TableScale }) {
  const saving = bestSaving(site);
  if (saving === null) return <>{NOT_APPLICABLE}</>;
  return (
    <>
      <Bracket saving={saving} scale_us={scale.largestSaving_us} />
      <div class="row s12 under">
        {saving.estimate_us !== null && <b>{formatDurationIn(saving.estimate_us, scale.unit)}</b>}
        <span class={saving.estimate_us === null ? "b" : "t3"}>{formatLimit(saving.ceiling_us, scale.unit)}</span>
        {saving.estimate_us === null && <span class="t3">no estimate</span>}
      </div>
    </>
  );
}
