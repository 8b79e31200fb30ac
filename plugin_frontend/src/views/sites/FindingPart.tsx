import type { FindingRow, SavingView } from "../../api/types.ts";
import { Bracket } from "../../draw/Bracket.tsx";
import { SeverityBars } from "../../draw/SeverityBars.tsx";
import { formatDuration } from "../../format/duration.ts";
import { visit } from "../../state/place.ts";
import { Change } from "../../widgets/Change.tsx";
import { Icon } from "../../widgets/Icon.tsx";
import { Prose } from "../../widgets/Prose.tsx";

const REMOVALS: Record<FindingRow["removal"], string> = {
  drop: "can go",
  defer: "can be read later",
  rewrite: "can be written otherwise",
  needed: "needed",
};
const TONES: Record<FindingRow["severity"], string> = { critical: "bad", high: "bad", medium: "warn", low: "", info: "" };

/** What a rule found at a site, what it would save, and how to mend it. */
export function FindingPart({ finding, scale_us }: { finding: FindingRow; scale_us: number }) {
  return (
    <section>
      <h3 class="anywhere">{finding.title}</h3>
      <div class="row wrap s12">
        <span class={`chip ${TONES[finding.severity]}`}>
          <SeverityBars severity={finding.severity} />
          {finding.severity}
        </span>
        <span class="rule">{finding.rule}</span>
        <span class="t3">{REMOVALS[finding.removal]}</span>
        <span class="t3">· confidence {finding.confidence}</span>
      </div>
      {finding.severity_reason !== "" && <p class="s12 t3 anywhere">{finding.severity_reason}</p>}
      {finding.saving !== null && <Saving saving={finding.saving} scale_us={scale_us} />}
      <Prose text={finding.what} />
      <Prose text={finding.why} />
      <Fix finding={finding} />
      <div class="row">
        <button class="btn sm" type="button" onClick={() => visit({ rule: finding.rule })}>
          <Icon name="info" />
          About {finding.rule}
        </button>
      </div>
    </section>
  );
}

function Saving({ saving, scale_us }: { saving: SavingView; scale_us: number }) {
  return (
    <div class="col">
      <Bracket saving={saving} scale_us={scale_us} />
      <p class="s12">
        {saving.estimate_us !== null && <b>saves {formatDuration(saving.estimate_us)}, </b>}
        at least {formatDuration(saving.floor_us)}, <b>at most {formatDuration(saving.ceiling_us)}</b>
        {saving.estimate_us === null && <span class="t3">, no estimate</span>}
      </p>
    </div>
  );
}

function Fix({ finding: { fix } }: { finding: FindingRow }) {
  return (
    <div class="col">
      <h4>Fix</h4>
      <Prose text={fix.summary} />
      {(fix.before !== "" || fix.after !== "") && <Change before={fix.before} after={fix.after} />}
      {fix.caveat !== "" && <p class="s12 t3 anywhere">{fix.caveat}</p>}
    </div>
  );
}
