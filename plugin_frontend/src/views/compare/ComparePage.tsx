import type { CompareAnswer, CompareView } from "../../api/types.ts";
import { before, comparison } from "../../state/compare/comparison.ts";
import { Card } from "../../widgets/Card.tsx";
import { ProblemNote } from "../../widgets/ProblemNote.tsx";
import { Scope } from "../frame/ScopeNote.tsx";
import { SeriesHead, SeriesPage } from "../series/SeriesPage.tsx";
import { BeforePicker, RunPicker } from "./BeforePicker.tsx";
import { ComparedTable } from "./ComparedTable.tsx";
import { CompareSites } from "./CompareSites.tsx";
import { DifferencesCard } from "./DifferencesCard.tsx";
import { StepTimesCard } from "./StepTimesCard.tsx";
import { WhereCard } from "./WhereCard.tsx";

/** Did it help: the shown window beside another one. */
export function ComparePage() {
  if (before.value === null) return <NothingAlike />;
  return <SeriesPage answer={comparison.value}>{(answer: CompareAnswer) => <Answer answer={answer} />}</SeriesPage>;
}

/** Nobody picks an unrelated window by chance. */
function NothingAlike() {
  return (
    <main tabIndex={0}>
      <div class="page narrow">
        <h1>Pick the window to compare with</h1>
        <p class="t2">This run has no other window, and no other run is called the same but for its numbers. Pick any run below.</p>
        <div class="row before">
          <RunPicker run={null} />
        </div>
      </div>
    </main>
  );
}

function Answer({ answer }: { answer: CompareAnswer }) {
  return (
    <>
      {before.value !== null && <BeforePicker before={before.value} />}
      {answer.problem !== null && <ProblemNote problem={answer.problem} />}
      {answer.state === "reading" && <Reading />}
      {answer.view !== null && <Comparison view={answer.view} />}
    </>
  );
}

/** Asked again until both are there. */
function Reading() {
  return (
    <>
      <h1>Reading both windows</h1>
      <p class="t2">They are shown as soon as both have been read.</p>
      <div class="skel" />
    </>
  );
}

function Comparison({ view }: { view: CompareView }) {
  return (
    <>
      {view.scopes.map((scope) => (
        <Scope key={scope} text={scope} />
      ))}
      <SeriesHead verdict={view.verdict} detail={view.detail} />
      <div class="grid compare-top">
        <div class="col">
          {view.steps.map((steps) => (
            <StepTimesCard key={String(steps.is_unprofiled)} steps={steps} />
          ))}
          <DifferencesCard view={view} />
        </div>
        <WhereCard view={view} />
      </div>
      <Card id="compared-sites" title="Sites" about="matched by function and ops, not by line; of a step">
        <CompareSites rows={view.sites} />
      </Card>
      <ComparedTable />
    </>
  );
}
