import type { CompareSteps } from "../../api/types.ts";
import { StepTimesPlot } from "../../draw/charts/StepTimesPlot.tsx";
import { Card } from "../../widgets/Card.tsx";

/** How long the steps of both windows take, by one clock. */
export function StepTimesCard({ steps }: { steps: CompareSteps }) {
  return (
    <Card
      id={steps.is_unprofiled ? "unprofiled-times" : "recorded-times"}
      title={steps.is_unprofiled ? "Step time without the profiler" : "Step time as recorded"}
      about={steps.is_unprofiled ? "line: median; band: half of the steps" : "line: median; band: usual distance to it; marks: steady steps"}
    >
      <StepTimesPlot steps={steps} />
      <p class="in hr anywhere">{steps.text}</p>
    </Card>
  );
}
