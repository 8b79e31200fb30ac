import type { JobAnswer, JobPage } from "../../api/types.ts";
import { place } from "../../state/place.ts";
import { job, standAlone } from "../../state/runs/job.ts";
import { shown } from "../../state/runs/runs.ts";
import { Icon } from "../../widgets/Icon.tsx";
import { RuleButton } from "../RuleButton.tsx";
import { RanksPage } from "../series/RanksPage.tsx";
import { SeriesHead, SeriesPage } from "../series/SeriesPage.tsx";
import { RuleDrawer } from "../sites/RuleDrawer.tsx";
import { AlignedSteps } from "./AlignedSteps.tsx";
import { JobCollectives } from "./JobCollectives.tsx";
import { JobPlan } from "./JobPlan.tsx";
import { JobRanks } from "./JobRanks.tsx";
import { WaitsCard } from "./WaitsCard.tsx";

/** All ranks of a run together; side by side where nothing can be said of them together. */
export function JobView() {
  if (standAlone.value && (shown.value?.run.workers.length ?? 1) > 1) {
    return <RanksPage about={job.value.kind === "there" ? (job.value.value.page?.verdict ?? "") : ""} />;
  }
  const { rule } = place.value;
  return (
    <SeriesPage answer={job.value} drawer={rule === null ? null : <RuleDrawer code={rule} view={null} />}>
      {(answer: JobAnswer) => <Answered answer={answer} />}
    </SeriesPage>
  );
}

function Answered({ answer }: { answer: JobAnswer }) {
  return (
    <>
      {answer.state === "reading" && <Reading sentence={answer.sentence} page={answer.page} />}
      {answer.state === "ready" && answer.page !== null && <Job page={answer.page} />}
    </>
  );
}

/** What is said of some of the ranks would not hold for all. */
function Reading({ sentence, page }: { sentence: string; page: JobPage | null }) {
  return (
    <>
      <div role="status" id="reading">
        <SeriesHead verdict={sentence} detail="The job is compared when all of them are." />
      </div>
      {page !== null && page.ranks.length > 0 && <JobRanks page={page} />}
    </>
  );
}

function Job({ page }: { page: JobPage }) {
  return (
    <>
      <SeriesHead verdict={page.verdict} detail={page.detail} />
      <JobNotes page={page} />
      <JobPlan page={page} />
      {page.ranks.length > 1 && <JobRanks page={page} />}
      {page.strips.length > 0 && page.meetings.length > 0 && <AlignedSteps page={page} />}
      {page.waits.length > 0 && <WaitsCard page={page} />}
      {page.collectives.length > 0 && <JobCollectives page={page} />}
    </>
  );
}

const MOST_NOTES = 4;

/** What to know before the figures are trusted: ranks that are missing or damaged, collectives without their like. */
function JobNotes({ page: { notes, findings } }: { page: JobPage }) {
  if (notes.length === 0) return null;
  const ruleOf = (note: string): string | null => findings.find((finding) => finding.sentence === note)?.rule ?? null;
  const rest = notes.slice(MOST_NOTES);
  return (
    <div class="note small">
      <Icon name="warning" tone="i-warn" />
      <div>
        {notes.slice(0, MOST_NOTES).map((note) => (
          <p key={note} class="anywhere">
            <RuleButton rule={ruleOf(note)} /> {note}
          </p>
        ))}
        {rest.length > 0 && (
          <details>
            <summary>{rest.length} more</summary>
            {rest.map((note) => (
              <p key={note} class="anywhere">
                {note}
              </p>
            ))}
          </details>
        )}
      </div>
    </div>
  );
}
