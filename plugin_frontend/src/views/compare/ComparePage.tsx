import type { CompareAnswer, CompareView } from "../../api/types.ts";
import { before, comparison } from "../../state/comparison.ts";
import { StepStrips } from "../../draw/StepStrips.tsx";
import { Card } from "../../widgets/Card.tsx";
import { ProblemNote } from "../../widgets/ProblemNote.tsx";
import { SeriesHead, SeriesPage } from "../series/SeriesPage.tsx";
import { BeforePicker } from "./BeforePicker.tsx";
import { CompareSites } from "./CompareSites.tsx";
import { FiguresTable } from "./FiguresTable.tsx";

/** Did it help: the shown window beside another one. */
export function ComparePage() {
  return <SeriesPage answer={comparison.value}>{(answer: CompareAnswer) => <Answer answer={answer} />}</SeriesPage>;
}

function Answer({ answer }: { answer: CompareAnswer }) {
  return (
    <>
      {before.value !== null && <BeforePicker before={before.value} />}
      {answer.problem !== null && <ProblemNote problem={answer.problem} />}
      {answer.state === "reading" && <h1>Reading both windows</h1>}
      {answer.view !== null && <Comparison view={answer.view} />}
    </>
  );
}

function Comparison({ view }: { view: CompareView }) {
  return (
    <>
      <SeriesHead verdict={view.verdict} detail={view.detail} />
      <div class="grid">
        <div class="col">
          {view.steps !== null && (
            <Card
              id="step-times"
              title={view.steps.is_unprofiled ? "Step time without the profiler" : "Step time as recorded"}
              about={view.steps.is_unprofiled ? "line: median; band: half of the steps" : "line: mean; band: mean distance to it; marks: steady steps"}
            >
              <StepStrips steps={view.steps} />
            </Card>
          )}
          <Card id="compared" title="A step" about="mean of the recorded steady steps; bars on one scale for all times">
            <FiguresTable figures={view.figures} />
          </Card>
          <Card id="compared-sites" title="Sites" about="matched by function and ops, not by line; waits of a step">
            <CompareSites rows={view.sites} />
          </Card>
        </div>
        <Card id="differences" title="What else differs">
          {view.differences.length === 0 ? (
            <p class="in t2">Nothing that was recorded on both sides</p>
          ) : (
            <dl class="in differences">
              {view.differences.map((row) => (
                <div key={row.name}>
                  <dt class="t3 s12">{row.name}</dt>
                  <dd class="anywhere"><bdi>{row.before}</bdi> → <bdi>{row.after}</bdi></dd>
                </div>
              ))}
            </dl>
          )}
        </Card>
      </div>
    </>
  );
}
