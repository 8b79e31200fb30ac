import type { FindingRow, FixView } from "../../api/types.ts";
import { visit } from "../../state/place.ts";
import { Change } from "../../widgets/Change.tsx";
import { Icon } from "../../widgets/Icon.tsx";
import { InlineText, Prose } from "../../widgets/Prose.tsx";

/** Why a finding costs and how its rule mends it. */
export function FixPart({ finding }: { finding: FindingRow }) {
  return (
    <section>
      <div class="row">
        <h3 class="grow">What and why</h3>
        <button class="btn sm" type="button" onClick={() => visit({ rule: finding.rule })}>
          <Icon name="info" />
          About {finding.rule}
        </button>
      </div>
      <Prose text={finding.what} />
      <Prose text={finding.why} />
      <Fix fix={finding.fix} />
    </section>
  );
}

function Fix({ fix }: { fix: FixView }) {
  return (
    <div class="col">
      <h4>Fix</h4>
      <Prose text={fix.summary} />
      {(fix.before !== "" || fix.after !== "") && <Change before={fix.before} after={fix.after} />}
      {fix.caveat !== "" && (
        <p class="s12 t3 anywhere">
          <InlineText text={fix.caveat} />
        </p>
      )}
    </div>
  );
}
