import { useEffect, useRef } from "preact/hooks";
import { embedded } from "../../api/embedded.ts";
import type { TableView, WindowView } from "../../api/types.ts";
import { place } from "../../state/place.ts";
import { loadRoofline } from "../../state/tables/roofline.ts";
import { loadTable, moveRow, table, tableAnswer } from "../../state/tables/tables.ts";
import { InlineText } from "../../widgets/Prose.tsx";
import { viewActions } from "../dialogs/keys.ts";
import { TraceAnswer } from "../states/TraceAnswer.tsx";
import { Workspace } from "../Workspace.tsx";
import { DataTable } from "./DataTable.tsx";
import { KernelPictures } from "./KernelPictures.tsx";
import { RooflineCard } from "./RooflineCard.tsx";
import { RowDrawer } from "./RowDrawer.tsx";
import { TableTools } from "./TableTools.tsx";
import "../../draw/traceTables.ts";

const TITLES: Record<string, string> = { operators: "Operators", kernels: "Kernels" };

/** What the GPU computes: a sentence, and every operator or kernel. */
export function TablePage({ view }: { view: WindowView }) {
  useEffect(() => {
    const ends = [loadTable(), loadRoofline()];
    viewActions.value = { j: () => moveRow(1), k: () => moveRow(-1) };
    return () => {
      viewActions.value = {};
      for (const end of ends) end();
    };
  }, []);
  return table.value === null ? <NoTable /> : <Shown window={view} view={table.value} />;
}

function Shown({ window, view }: { window: WindowView; view: TableView }) {
  const pane = useRef<HTMLDivElement>(null);
  const title = TITLES[view.table] ?? view.table;
  const { row } = place.value;
  const missing = view.choices.map((choice) => choice.missing).filter(Boolean);
  return (
    <Workspace view={window} own={row === null ? null : <RowDrawer key={row} view={view} row={row} />}>
      <div class="pane sites tables" ref={pane} tabIndex={0} role="region" aria-label={title}>
        <div class="answer">
          <h1 class="anywhere">
            <InlineText text={view.headline} />
          </h1>
          <p class="t3 s12">{view.about}</p>
          {missing.length > 0 && (
            <details class="s12 t3">
              <summary>Not recorded: what else rows could be grouped by</summary>
              {missing.map((text) => (
                <p key={text}>
                  <InlineText text={text} />
                </p>
              ))}
            </details>
          )}
        </div>
        <KernelPictures view={view} />
        {view.table === "operators" && <RooflineCard />}
        <TableTools view={view} hasServer={embedded === null} />
        <DataTable key={`${view.table} ${view.by}`} view={view} pane={() => pane.current} label={title} />
      </div>
    </Workspace>
  );
}

function NoTable() {
  return (
    <TraceAnswer answer={tableAnswer.value} what="table">
      <p>Tables count every event, so they need the trace file. The report holds the sync points, copies and causes of idle time.</p>
      <p class="t2">To see the table, put the trace back beside its report.</p>
    </TraceAnswer>
  );
}
