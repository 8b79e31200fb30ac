import type { OverviewView } from "../../api/types.ts";
import { StepBreakdown } from "../../draw/charts/StepBreakdown.tsx";
import { formatDurationIn, tableUnit } from "../../format/duration.ts";
import { Card } from "../../widgets/Card.tsx";

/** Beyond this the columns have no room for figures; the drawing's description has them. */
const MOST_LABELED = 8;

/** Each step by what the GPU did. */
export function StepsCard({ overview }: { overview: OverviewView }) {
  const { stacks, causes } = overview;
  const unit = tableUnit(stacks.map((stack) => stack.duration_us));
  return (
    <Card id="steps" title="Steps" about={`${unit}, by what the GPU did`}>
      <div class="in">
        <StepBreakdown stacks={stacks} causes={causes} />
        {stacks.length <= MOST_LABELED && (
          <div class="step-names s11" style={{ gridTemplateColumns: `repeat(${stacks.length}, minmax(0, 1fr))` }}>
            {stacks.map((stack, at) => (
              <div key={at} title={stack.name}>
                <span class="ell block t3">
                  <bdi>{shortName(stack.name)}</bdi>
                </span>
                <span>
                  {formatDurationIn(stack.duration_us, unit)}
                  {stack.cold && " cold"}
                </span>
              </div>
            ))}
          </div>
        )}
      </div>
    </Card>
  );
}

/** `ProfilerStep#6` is step 6. */
function shortName(name: string): string {
  return /#(\d+)$/.exec(name)?.[1] ?? name;
}
