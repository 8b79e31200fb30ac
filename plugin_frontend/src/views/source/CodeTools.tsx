import type { SourceFile, SourceFilesView } from "../../api/types.ts";
import { formatCommit, formatLocation, splitPath } from "../../format/place.ts";
import { type CodePlace, codeRange, remarkedPlaces } from "../../model/source/code.ts";
import { copyText } from "../../state/notice.ts";
import { moveRemark } from "../../state/source/source.ts";
import { Icon } from "../../widgets/Icon.tsx";
import { EditorButton } from "../EditorButton.tsx";

interface CodeToolsProps {
  source: SourceFilesView;
  file: SourceFile;
  line: number | null;
}

/** Above the code: which file, and what to do with it. */
export function CodeTools({ source, file, line }: CodeToolsProps) {
  const { directory, name } = splitPath(file.path);
  const range = codeRange(file);
  const shown: CodePlace = { file: file.path, line };
  const places = remarkedPlaces(source.files);
  const isFew = places.every((place) => place.file === file.path && place.line === line);
  return (
    <div class="tool hr-below">
      <b class="mono path" title={file.path}>
        <bdi class="ell dir" dir="ltr">
          {directory}
        </bdi>
        <bdi class="ell name" dir="ltr">
          {name}
        </bdi>
      </b>
      {range !== null && (
        <span class="s12 t3 nw">
          lines {range.first}–{range.last}
        </span>
      )}
      {source.commit !== null && (
        <span class="rule" title={`git commit ${source.commit}`}>
          {formatCommit(source.commit)}
        </span>
      )}
      <span class="row right">
        <button class="btn sm" type="button" disabled={isFew} aria-label="Previous finding" onClick={() => moveRemark(-1)}>
          <Icon name="previous" />
          <span class="wide-only">Previous finding</span>
        </button>
        <button class="btn sm" type="button" disabled={isFew} onClick={() => moveRemark(1)}>
          Next finding <span class="kbd">j</span>
        </button>
        <button class="btn sm" type="button" onClick={() => void copyText(formatLocation(shown), "Location")}>
          <Icon name="copy" />
          Copy <span class="kbd">y</span>
        </button>
        <EditorButton place={shown} />
      </span>
    </div>
  );
}
