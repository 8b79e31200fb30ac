import { useEffect } from "preact/hooks";
import { fleetCsvAddress } from "../../api/fleet.ts";
import type { FleetView } from "../../api/types.ts";
import { formatCount, formatCounted } from "../../format/number.ts";
import { FLEET_SORTS, RUNS_OF_A_PAGE } from "../../model/runs/fleet.ts";
import { fleet, fleetQuestion, loadFleet, orderTraces, searchFleet, showFleetFrom, sortFleet } from "../../state/runs/fleet.ts";
import { Card } from "../../widgets/Card.tsx";
import { SearchField } from "../../widgets/SearchField.tsx";
import { SegmentedControl } from "../../widgets/SegmentedControl.tsx";
import { SeriesHead, SeriesPage } from "../series/SeriesPage.tsx";
import { FleetTable } from "./FleetTable.tsx";
import "../../draw/fleetTable.ts";

/** All runs of the log directory: what each costs, behind which line, and what changed. */
export function FleetPage() {
  useEffect(loadFleet, []);
  return (
    <SeriesPage answer={fleet.value}>
      {(view: FleetView) => (
        <>
          <SeriesHead verdict={view.verdict} detail={view.detail} />
          {view.reading > 0 && <Reading view={view} />}
          <Card id="fleet" title="Runs" about="of the newest window of each rank; shares are of the steps">
            <FleetTools view={view} />
            {view.found === 0 ? <p class="in t2">No run has all of these words.</p> : <FleetTable rows={view.rows} />}
            <Pages view={view} />
          </Card>
        </>
      )}
    </SeriesPage>
  );
}

/** How many recordings are read, and a way to stop that. */
function Reading({ view }: { view: FleetView }) {
  const done = `${formatCount(view.windows - view.reading)} of ${formatCounted(view.windows, "recording")} read`;
  return (
    <p class="t2 row">
      <span role="status">{view.is_stopped ? `${done}; stopped` : `${done}, the newest first`}</span>
      <button class="btn sm" type="button" onClick={() => orderTraces(view.is_stopped ? "read" : "stop")}>
        {view.is_stopped ? "Read the rest" : "Stop reading"}
      </button>
    </p>
  );
}

function FleetTools({ view }: { view: FleetView }) {
  const { search, sort, isReversed } = fleetQuestion.value;
  const sorts = Object.entries(FLEET_SORTS).map(([key, title]) => [key, key === sort && isReversed ? <Reversed title={title} /> : title] as const);
  return (
    <div class="tool fleet-tools">
      <SearchField label="Find runs" placeholder="Find by run, line, rule, owner" maxLength={200} value={search} onInput={searchFleet} />
      <SegmentedControl label="Sort by" options={sorts} isChosen={(key) => key === sort} onChoose={sortFleet} />
      <span class="right row">
        <span class="s12 t3 nw" role="status">
          {view.found === view.total ? formatCounted(view.total, "run") : `${formatCount(view.found)} of ${formatCounted(view.total, "run")}`}
        </span>
        <a class="btn sm" href={fleetCsvAddress(fleetQuestion.value)} download="fleet.csv">
          CSV
        </a>
      </span>
    </div>
  );
}

function Reversed({ title }: { title: string }) {
  return (
    <>
      {title}
      <span aria-label="reversed"> ↕</span>
    </>
  );
}

function Pages({ view }: { view: FleetView }) {
  if (view.found <= RUNS_OF_A_PAGE && view.first === 0) return null;
  const next = view.first + RUNS_OF_A_PAGE;
  return (
    <p class="in row">
      <span class="s12 t2">
        {formatCount(Math.min(view.first + 1, view.found))} to {formatCount(view.first + view.rows.length)} of {formatCount(view.found)}
      </span>
      {view.first > 0 && <Go text="Before" to={Math.max(view.first - RUNS_OF_A_PAGE, 0)} />}
      {next < view.found && <Go text="Next" to={next} />}
    </p>
  );
}

function Go({ text, to }: { text: string; to: number }) {
  return (
    <button class="btn sm" type="button" onClick={() => showFleetFrom(to)}>
      {text}
    </button>
  );
}
