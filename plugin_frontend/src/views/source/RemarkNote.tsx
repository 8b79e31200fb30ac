import type { LineMark, Remark } from "../../api/types.ts";
import { copyText } from "../../state/notice.ts";
import { visit } from "../../state/place.ts";
import { showInTimeline } from "../../state/sites/sites.ts";
import { Edits } from "../../widgets/Change.tsx";
import { Icon } from "../../widgets/Icon.tsx";
import { InlineText } from "../../widgets/Prose.tsx";
import { CopyFindingButton } from "../CopyFindingButton.tsx";
import { EditorButton } from "../EditorButton.tsx";
import { RuleButton } from "../RuleButton.tsx";

/** A finding under its line. */
export function RemarkNote({ remark, mark, path }: { remark: Remark; mark: LineMark; path: string }) {
  const { finding, number, edits } = remark;
  const [site] = mark.sites;
  return (
    <section class={`remark ${finding.severity}`} aria-label={`${finding.rule} at line ${mark.line}`}>
      <div class="row">
        {number !== null && <span class="disc">{number}</span>}
        <b class="ell" title={finding.title}>
          <InlineText text={finding.title} />
        </b>
        <RuleButton rule={finding.rule} />
        <span class="right nw gain">{finding.worth}</span>
      </div>
      {finding.note !== "" && (
        <p class="t2 anywhere">
          <bdi>{finding.note}</bdi>
        </p>
      )}
      <p class="t2 anywhere">
        <InlineText text={finding.fix.summary} />
      </p>
      {edits.length > 0 && <Edits edits={edits} />}
      <div class="row s12 wrap">
        {site !== undefined && (
          <button class="btn sm" type="button" onClick={() => visit({ site, rule: null, health: false })}>
            Evidence
          </button>
        )}
        {site !== undefined && (
          <button class="btn sm" type="button" onClick={() => showInTimeline(site)}>
            Timeline
          </button>
        )}
        <EditorButton place={{ file: path, line: mark.line }} />
        <CopyFindingButton finding={finding} />
        <button
          class="btn q sm"
          type="button"
          title="For the end of the line: tbprof check is silent about it then"
          onClick={() => void copyText(`# tbprof: ignore[${finding.rule}]`, "Comment")}
        >
          <Icon name="copy" />
          Copy ignore comment
        </button>
      </div>
    </section>
  );
}
