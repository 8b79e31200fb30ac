import type { EditRow, FindingRow, FixView } from "../../api/types.ts";
import { editsOf } from "../../model/source/code.ts";
import { visit } from "../../state/place.ts";
import { sourceFiles } from "../../state/source/source.ts";
import { Edits, Example } from "../../widgets/Change.tsx";
import { Icon } from "../../widgets/Icon.tsx";
import { InlineText, Prose } from "../../widgets/Prose.tsx";
import { CopyFindingButton } from "../CopyFindingButton.tsx";

/** How a finding is fixed, and why it costs. */
export function FixPart({ finding }: { finding: FindingRow }) {
  const edits = sourceFiles.value === null ? [] : editsOf(sourceFiles.value, finding);
  return (
    <section>
      <div class="row">
        <h3 class="grow">Fix</h3>
        <CopyFindingButton finding={finding} />
        <button class="btn sm" type="button" onClick={() => visit({ rule: finding.rule })}>
          <Icon name="info" />
          About {finding.rule}
        </button>
      </div>
      <Fix fix={finding.fix} edits={edits} />
      <h4>Why</h4>
      <Prose text={finding.what} />
      <Prose text={finding.why} />
    </section>
  );
}

/** The change of the program's own lines where it is mechanical, else the rule's example. */
function Fix({ fix, edits }: { fix: FixView; edits: readonly EditRow[] }) {
  return (
    <div class="col">
      <Prose text={fix.summary} />
      {fix.caveat !== "" && (
        <p class="s12 t3 anywhere">
          <InlineText text={fix.caveat} />
        </p>
      )}
      {edits.length > 0 ? <Edits edits={edits} /> : (fix.before !== "" || fix.after !== "") && <Example before={fix.before} after={fix.after} />}
    </div>
  );
}
