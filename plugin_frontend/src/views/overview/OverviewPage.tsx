import { useEffect } from "preact/hooks";
import type { WindowView } from "../../api/types.ts";
import { inJob } from "../../model/inJob.ts";
import { loadJob, roleOfShown } from "../../state/runs/job.ts";
import { Card } from "../../widgets/Card.tsx";
import { RunNote } from "../run/RunNote.tsx";
import { EnvironmentList } from "../sites/HealthParts.tsx";
import { Workspace } from "../Workspace.tsx";
import { ActionsCard } from "./ActionsCard.tsx";
import { CodeCard } from "./CodeCard.tsx";
import { GpuUseCard } from "./GpuUseCard.tsx";
import { OtherFindings } from "./OtherFindings.tsx";
import { PredictedCard } from "./PredictedCard.tsx";
import { StepsCard } from "./StepsCard.tsx";
import { TrustCard } from "./TrustCard.tsx";
import { VerdictHead } from "./VerdictHead.tsx";
import { WhereCard } from "./WhereCard.tsx";

/** Why the GPU is idle, what can be won, and how far the answer can be trusted. */
export function OverviewPage({ view: alone }: { view: WindowView }) {
  useEffect(loadJob, []);
  const ofJob = roleOfShown.value;
  const view = inJob(alone, ofJob?.role);
  const { overview } = view;
  return (
    <Workspace view={view}>
      <div class="pane" tabIndex={0} role="region" aria-label="Overview">
        <div class="page">
          <RunNote />
          <VerdictHead view={view} ofJob={ofJob} />
          <div class="grid">
            <div class="col">
              <Changes view={view} />
              <WhereCard view={view} />
              <OtherFindings overview={overview} />
              <CodeCard rows={overview.code} marksSteps={view.marks_steps} hasDevice={overview.device !== null} />
            </div>
            <div class="col">
              {overview.device !== null && overview.stacks.length > 1 && <StepsCard overview={overview} />}
              {overview.gpu_use.length > 0 && <GpuUseCard overview={overview} />}
              <TrustCard rows={overview.trust} notChecked={view.not_checked} />
              {view.environment.length > 0 && (
                <Card id="environment-card" title="Environment">
                  <div class="in">
                    <EnvironmentList rows={view.environment} />
                  </div>
                </Card>
              )}
            </div>
          </div>
        </div>
      </div>
    </Workspace>
  );
}

/** What to change, most urgent first: what is known to cost, and lines that would wait for a GPU. */
function Changes({ view }: { view: WindowView }) {
  const { predicted, predicted_first: linesFirst, overview } = view;
  const lines = predicted.length > 0 && (
    <PredictedCard rows={predicted} title={linesFirst ? "What to change first" : "Then, for a GPU"} number={linesFirst ? 1 : overview.actions.length + 1} />
  );
  const actions = overview.actions.length > 0 && <ActionsCard view={view} />;
  return linesFirst ? (
    <>
      {lines}
      {actions}
    </>
  ) : (
    <>
      {actions}
      {lines}
    </>
  );
}
