import { useEffect, useRef } from "preact/hooks";
import { embedded } from "../../api/embedded.ts";
import type { MemoryView, WindowView } from "../../api/types.ts";
import { chooseMoment, loadMemory, memory, memoryAnswer, panBy, zoomIn, zoomOut } from "../../state/memory/memory.ts";
import { place } from "../../state/place.ts";
import { closeDrawer } from "../../state/sites/sites.ts";
import { loadTable, moveRow, table } from "../../state/tables/tables.ts";
import { InlineText } from "../../widgets/Prose.tsx";
import { viewActions } from "../dialogs/keys.ts";
import { TraceAnswer } from "../states/TraceAnswer.tsx";
import { DataTable } from "../tables/DataTable.tsx";
import { RowDrawer } from "../tables/RowDrawer.tsx";
import { TableTools } from "../tables/TableTools.tsx";
import { Workspace } from "../Workspace.tsx";
import { HoldersTable } from "./HoldersTable.tsx";
import { MemoryDrawing } from "./MemoryDrawing.tsx";
import { MemoryFiles } from "./MemoryFiles.tsx";
import { MemoryTools } from "./MemoryTools.tsx";
import "../../draw/traceTables.ts";

/** What memory was allocated, who holds it at one moment, and what operators allocate. */
export function MemoryPage({ view }: { view: WindowView }) {
  useEffect(() => {
    const end = loadMemory();
    viewActions.value = { Escape: closeOrReturn, w: zoomIn, s: zoomOut, a: () => panBy(-1), d: () => panBy(1), j: () => moveRow(1), k: () => moveRow(-1) };
    return () => {
      viewActions.value = {};
      end();
    };
  }, []);
  return memory.value === null ? <NoMemory /> : <Shown window={view} shown={memory.value} />;
}

/** What lies over the page first, then the moment that was chosen. */
function closeOrReturn(): void {
  const { rule, site, health, row } = place.peek();
  if (rule !== null || site !== null || health || row !== null) closeDrawer();
  else chooseMoment(null);
}

function Shown({ window, shown }: { window: WindowView; shown: MemoryView }) {
  const pane = useRef<HTMLDivElement>(null);
  const { row } = place.value;
  const rows = table.value;
  return (
    <Workspace view={window} own={row === null || rows === null ? null : <RowDrawer key={row} view={rows} row={row} />}>
      <div class="pane sites tables memory" ref={pane} tabIndex={0} role="region" aria-label="Memory">
        <div class="answer">
          <h1 class="anywhere">
            <InlineText text={shown.headline === "" ? "No allocations in this window" : shown.headline} />
          </h1>
          <p class="t3 s12">
            <InlineText text={shown.missing === "" ? shown.about : shown.missing} />
          </p>
        </div>
        <MemoryFiles />
        {shown.line !== null && shown.moment !== null && (
          <>
            <MemoryTools shown={shown} />
            <MemoryDrawing shown={shown} line={shown.line} moment={shown.moment} />
            <HoldersTable shown={shown} moment={shown.moment} />
            <Allocations pane={() => pane.current} />
          </>
        )}
      </div>
    </Workspace>
  );
}

/** What each operator allocated, on all devices. */
function Allocations({ pane }: { pane: () => HTMLElement | null }) {
  useEffect(loadTable, []);
  const view = table.value;
  if (view === null) return null;
  return (
    <>
      <h2 class="memory-part">What operators allocate</h2>
      <TableTools view={view} hasServer={embedded === null} />
      <DataTable key={view.by} view={view} pane={pane} label="Allocations" />
    </>
  );
}

function NoMemory() {
  return (
    <TraceAnswer answer={memoryAnswer.value} what="memory">
      <p>The curve of memory is drawn from every event of the allocator, so it needs the trace file.</p>
      <p class="t2">To see it, put the trace back beside its report.</p>
    </TraceAnswer>
  );
}
