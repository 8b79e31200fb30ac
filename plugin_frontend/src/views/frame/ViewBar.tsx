import { useEffect } from "preact/hooks";
import type { WindowView } from "../../api/types.ts";
import { formatCount, formatCounted } from "../../format/number.ts";
import { inView, printPlace } from "../../model/place.ts";
import { declared, sitesOf, type ViewName } from "../../model/views.ts";
import { place, visit } from "../../state/place.ts";
import { runs, shown, shownView, views, withoutWindows } from "../../state/runs/runs.ts";
import { loadRunTime, notedRunTime } from "../../state/runs/runTime.ts";
import { windowAnswer, windowView } from "../../state/windowAnswer.ts";
import { Icon, type IconName } from "../../widgets/Icon.tsx";
import { ViewTabs } from "./ViewTabs.tsx";

/** The views, and at the right how far the trace can be trusted. */
export function ViewBar() {
  useEffect(loadRunTime, []);
  const view = windowView.value;
  return (
    <nav class="views" aria-label="Views">
      <ViewTabs
        names={views.value.filter((name) => (withoutWindows.value === null ? isWorthATab(name, view) : name === "fleet"))}
        link={(name) => <ViewLink key={name} name={name} view={view} />}
      />
      <span class="end">{view === null ? <AbsentChip /> : <HealthChip view={view} />}</span>
    </nav>
  );
}

/** What has nothing to say needs no tab; a link to it still says so. */
function isWorthATab(name: ViewName, view: WindowView | null): boolean {
  return place.value.view === name || (declared(name).says?.(view, shown.value?.run.workers.length ?? 1, notedRunTime.value !== null) ?? true);
}

function ViewLink({ name, view }: { name: ViewName; view: WindowView | null }) {
  const isCurrent = shownView.value === name;
  return (
    <a
      href={printPlace(inView(place.value, name))}
      {...(isCurrent ? { "aria-current": "page" as const } : {})}
      onClick={(event) => {
        // With a modifier the browser opens it elsewhere; else it is the host's address that changes.
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        visit({ view: name });
      }}
    >
      {declared(name).title}
      <Count of={view === null ? null : listed(name, view)} />
    </a>
  );
}

function Count({ of: count }: { of: number | null }) {
  return count === null ? null : <span class="count">{formatCount(count)}</span>;
}

/** How many sites a view lists; where none is known, the lines that would wait for a GPU. Null where it lists none of either, or nobody knows. */
function listed(name: ViewName, view: WindowView): number | null {
  if (name !== "syncs" && name !== "copies") return null;
  const sites = sitesOf(name, view.sites).length;
  if (view.state !== "no_device" || sites > 0) return view.sync_points.is_recorded ? sites : null;
  return name === "syncs" && view.scope === "" ? view.predicted.length : null;
}

/** Why there is no trace to trust. */
function AbsentChip() {
  const answer = windowAnswer.value;
  if (withoutWindows.value !== null) return <Absent label="No window" />;
  if (runs.value.kind === "there" && runs.value.value.runs.length === 0) return <Absent label="No recordings" />;
  if (answer.kind === "there" && answer.value.state === "reading") return <Absent label="Reading" />;
  return null;
}

function Absent({ label }: { label: string }) {
  return (
    <span class="chip">
      <Icon name="unknown" />
      {label}
    </span>
  );
}

const TONES: Record<WindowView["worst_health"], { tone: string; icon: IconName }> = {
  ok: { tone: "ok", icon: "tick" },
  info: { tone: "ok", icon: "tick" },
  warning: { tone: "warn", icon: "warning" },
  error: { tone: "bad", icon: "error" },
};

function HealthChip({ view }: { view: WindowView }) {
  const { tone, icon } = TONES[view.worst_health];
  return (
    <button
      class={`chip ${tone}`}
      type="button"
      aria-expanded={place.value.health}
      onClick={() => visit({ health: !place.value.health, site: null, rule: null })}
    >
      <Icon name={icon} />
      {healthLabel(view)}
    </button>
  );
}

function healthLabel(view: WindowView): string {
  const hasDevice = view.overview.device !== null;
  const count = view.overview.trust.filter((row) => row.state === view.worst_health).length;
  switch (view.worst_health) {
    case "ok":
      return hasDevice ? "Trace good" : "Trace without a GPU";
    case "info":
      return `${hasDevice ? "Trace good" : "Trace without a GPU"}, ${formatCounted(count, "note")}`;
    case "warning":
      return `Trace has ${formatCounted(count, "warning")}`;
    case "error":
      return `Trace has ${formatCounted(count, "error")}`;
  }
}
