import type { EditRow, FindingRow, FixView } from "../../api/types.ts";
import { editsOf } from "../../model/code.ts";
import { visit } from "../../state/place.ts";
import { sourceFiles } from "../../state/source.ts";
import { Change, Edits } from "../../widgets/Change.tsx";
import { Icon } from "../../widgets/Icon.tsx";
import { InlineText, Prose } from "../../widgets/Prose.tsx";
import { CopyFindingButton } from "../CopyFindingButton.tsx";

/** Why a finding costs and how its rule fixes it. */
export function FixPart({ finding }: { finding: FindingRow }) {
  const edits = sourceFiles.value === null ? [] : editsOf(sourceFiles.value, finding);
  return (
    <section>
      <div class="row">
        <h3 class="grow">What and why</h3>
        <CopyFindingButton finding={finding} />
        <button class="btn sm" type="button" onClick={() => visit({ rule: finding.rule })}>
          <Icon name="info" />
          About {finding.rule}
        </button>
      </div>
      <Prose text={finding.what} />
      <Prose text={finding.why} />
      <Fix fix={finding.fix} edits={edits} />
    </section>
  );
}

/** The change of the program's own lines where it is mechanical, else the rule's example. */
function Fix({ fix, edits }: { fix: FixView; edits: readonly EditRow[] }) {
  return (
    <div class="col">
      <h4>Fix</h4>
      <Prose text={fix.summary} />
      {edits.length > 0 ? <Edits edits={edits} /> : (fix.before !== "" || fix.after !== "") && <Change before={fix.before} after={fix.after} />}
      {fix.caveat !== "" && (
        <p class="s12 t3 anywhere">
          <InlineText text={fix.caveat} />
        </p>
      )}
    </div>
  );
}
