import type { WindowView } from "../../api/types.ts";
import { Card } from "../../widgets/Card.tsx";
import { EnvironmentList } from "../sites/HealthParts.tsx";
import { Workspace } from "../Workspace.tsx";
import { ActionsCard } from "./ActionsCard.tsx";
import { CodeCard } from "./CodeCard.tsx";
import { OtherFindings } from "./OtherFindings.tsx";
import { PredictedCard } from "./PredictedCard.tsx";
import { StepsCard } from "./StepsCard.tsx";
import { TrustCard } from "./TrustCard.tsx";
import { VerdictHead } from "./VerdictHead.tsx";
import { WhereCard } from "./WhereCard.tsx";

/** Why the GPU is idle, what can be won, and how far the answer can be trusted. */
export function OverviewPage({ view }: { view: WindowView }) {
  const { overview } = view;
  return (
    <Workspace view={view}>
      <div class="pane" tabIndex={0} role="region" aria-label="Overview">
        <div class="page">
          <VerdictHead view={view} />
          <div class="grid">
            <div class="col wide">
              {view.predicted.length > 0 && <PredictedCard rows={view.predicted} />}
              {overview.actions.length > 0 && <ActionsCard view={view} />}
              <WhereCard view={view} />
              <OtherFindings overview={overview} />
              <CodeCard rows={overview.code} marksSteps={view.marks_steps} hasDevice={overview.device !== null} />
            </div>
            <div class="col">
              {overview.device !== null && overview.stacks.length > 1 && <StepsCard overview={overview} />}
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
