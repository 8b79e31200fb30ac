import type { FindingRow, SavingView } from "../../api/types.ts";
import { Bracket } from "../../draw/bars/Bracket.tsx";
import { SeverityBars } from "../../draw/marks/SeverityBars.tsx";
import { formatDuration } from "../../format/duration.ts";
import { aboutSeverity } from "../../state/sites/severity.ts";
import { InlineText } from "../../widgets/Prose.tsx";

const REMOVALS: Record<FindingRow["removal"], string> = {
  drop: "can go",
  defer: "can be read later",
  hoist: "can leave the step",
  rewrite: "can be written otherwise",
  needed: "needed",
};
const TONES: Record<FindingRow["severity"], string> = { critical: "bad", high: "bad", medium: "warn", low: "", info: "" };

interface FindingPartProps {
  finding: FindingRow;
  scale_us: number;
  /** In place of what to do, where that stands below. */
  heading?: string;
}

/** What to do about a finding, what is the case, how bad it is, and what the fix would save. */
export function FindingPart({ finding, scale_us, heading }: FindingPartProps) {
  return (
    <section>
      <h3 class="anywhere">
        <InlineText text={heading ?? finding.action} />
      </h3>
      {heading === undefined && (
        <p class="t2 anywhere">
          <InlineText text={finding.title} />
        </p>
      )}
      <div class="row wrap s12">
        <span class={`chip ${TONES[finding.severity]}`} title={aboutSeverity(finding.severity)}>
          <SeverityBars severity={finding.severity} />
          {finding.severity}
        </span>
        <span class="rule">{finding.rule}</span>
        <span class="t3">{REMOVALS[finding.removal]}</span>
      </div>
      <p class="s12 t3 anywhere">
        <InlineText text={finding.severity_reason} /> · confidence {finding.confidence}
      </p>
      {finding.note !== "" && (
        <p class="anywhere">
          <bdi>{finding.note}</bdi>
        </p>
      )}
      {finding.saving !== null && <Saving saving={finding.saving} worth={finding.worth} scale_us={scale_us} />}
    </section>
  );
}

function Saving({ saving, worth, scale_us }: { saving: SavingView; worth: string; scale_us: number }) {
  return (
    <div class="col">
      <Bracket saving={saving} scale_us={scale_us} />
      <p class="s12">
        <b>{worth}</b>
        <span class="t3">
          ; at least {formatDuration(saving.floor_us)}, at most {formatDuration(saving.ceiling_us)}
        </span>
      </p>
    </div>
  );
}
