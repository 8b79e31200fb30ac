import type { FindingRow } from "../api/types.ts";
import { copyFinding } from "../state/sites/findingText.ts";
import { Icon } from "../widgets/Icon.tsx";

/** A finding as markdown, to paste to a colleague or a coding assistant. */
export function CopyFindingButton({ finding }: { finding: FindingRow }) {
  return (
    <button class="btn q sm" type="button" onClick={() => void copyFinding(finding.fingerprint)}>
      <Icon name="copy" />
      Copy as markdown
    </button>
  );
}
