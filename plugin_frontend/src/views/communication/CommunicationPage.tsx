import type { CommunicationView, WindowView } from "../../api/types.ts";
import { deviceSegments, deviceText } from "../../draw/bars/deviceSegments.ts";
import { StackBar } from "../../draw/bars/StackBar.tsx";
import { TimeAxis } from "../../draw/charts/TimeAxis.tsx";
import { deviceEntries, Legend } from "../../draw/marks/Legend.tsx";
import { tableUnit } from "../../format/duration.ts";
import { formatCounted } from "../../format/number.ts";
import { Card } from "../../widgets/Card.tsx";
import { Workspace } from "../Workspace.tsx";
import { CollectivesTable } from "./CollectivesTable.tsx";
import { PeersCard } from "./PeersCard.tsx";

/** What this rank says to others, and how much of it nothing covers. */
export function CommunicationPage({ view }: { view: WindowView }) {
  const { communication } = view;
  return (
    <Workspace view={view}>
      <div class="pane" tabIndex={0} role="region" aria-label="Communication">
        <div class="page">{communication === null ? <h1>{without(view)}</h1> : <Parts view={view} communication={communication} />}</div>
      </div>
    </Workspace>
  );
}

function without(view: WindowView): string {
  const isCutOff = view.health.some((row) => row.code === "truncated");
  return isCutOff ? "The file is cut off among its events: how long its communication took is not known." : "This window holds no communication between ranks.";
}

function Parts({ view, communication }: { view: WindowView; communication: CommunicationView }) {
  return (
    <>
      <div>
        <h1 class="anywhere">{communication.sentence}</h1>
        {communication.detail !== "" && <p class="t2 anywhere">{communication.detail}</p>}
      </div>
      <StepCard view={view} />
      <Card
        id="collectives"
        title="Collectives"
        about={`totals of the window, ${formatCounted(communication.rows.length, "row")}; time includes waiting for other ranks`}
      >
        <CollectivesTable rows={communication.rows} />
        {communication.not_recorded !== "" && <p class="in s12 t2 hr">{communication.not_recorded}</p>}
      </Card>
      {communication.peers.length > 0 && <PeersCard peers={communication.peers} />}
    </>
  );
}

function StepCard({ view }: { view: WindowView }) {
  const { device, causes, step_us: step } = view.overview;
  if (device === null || step === null) return null;
  const unit = tableUnit([step]);
  const title = view.marks_steps ? "Where a step goes" : "Where the window goes";
  return (
    <Card id="where-communication" title={title} aside={<Legend entries={deviceEntries()} />}>
      <div class="in bars">
        <span class="s12 t2">GPU</span>
        <StackBar segments={deviceSegments(device, causes, unit)} scale_us={step} label={deviceText("GPU", device, causes)} />
        <span />
        <TimeAxis scale_us={step} unit={unit} />
      </div>
    </Card>
  );
}
