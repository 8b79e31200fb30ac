import type { SiteRow, SourceView } from "../../api/types.ts";
import { formatLocation } from "../../format/place.ts";
import { type CodeRow, callBeneath, linesNear, placeOf, placeOfSite } from "../../model/source/code.ts";
import { copyText } from "../../state/notice.ts";
import { sourceFiles, visitCode } from "../../state/source/source.ts";
import { CodeText } from "../../widgets/CodeText.tsx";
import { Icon } from "../../widgets/Icon.tsx";
import { Location } from "../../widgets/Location.tsx";
import { EditorButton } from "../EditorButton.tsx";

/** Lines of code before and after the site's own. */
const AROUND = 3;

/** Where a site is: its line in its code, and who called it. */
export function SourcePart({ site }: { site: SiteRow }) {
  const { source, callers } = site;
  const own = callBeneath(site);
  return (
    <section aria-labelledby="source">
      <h3 id="source">Source</h3>
      {own !== null && (
        <div class="s12 anywhere">
          <p>
            In the library <b>{site.library}</b>; your own call is in
          </p>
          <PlaceLink source={own} />
        </div>
      )}
      <Location source={source} />
      {source !== null && (
        <>
          <p class="mono t2 anywhere">
            <bdi>{source.function}</bdi>
          </p>
          {source.doubt !== "" && <p class="s12 t3 anywhere">{source.doubt}</p>}
          <Excerpt site={site} />
          <div class="row s12">
            <button class="btn sm" type="button" onClick={() => visitCode(placeOf(source))}>
              <Icon name="search" />
              Source <span class="kbd">o</span>
            </button>
            <EditorButton place={placeOf(source)} />
            <button class="btn q sm" type="button" onClick={() => void copyText(formatLocation(placeOf(source)), "Location")}>
              <Icon name="copy" />
              Copy <span class="kbd">y</span>
            </button>
          </div>
        </>
      )}
      {callers.length > 0 && <Callers callers={callers} />}
    </section>
  );
}

/** The code around the line as it was when it ran; nothing where it was not recorded. */
function Excerpt({ site }: { site: SiteRow }) {
  const found = sourceFiles.value === null ? null : placeOfSite(sourceFiles.value, site.index);
  if (found === null) return null;
  const rows = linesNear(found.file, found.place.line, AROUND);
  if (rows.length === 0) return null;
  const candidates = new Set(site.source?.candidates ?? []);
  return (
    <div class="excerpt" tabIndex={0} role="group" aria-label="Code">
      <ol class="code-lines mono">
        {rows.map(
          (row) =>
            row.kind === "line" && <ExcerptLine key={row.line} row={row} isHere={row.line === site.source?.line} isCandidate={candidates.has(row.line)} />,
        )}
      </ol>
    </div>
  );
}

interface ExcerptLineProps {
  row: Extract<CodeRow, { kind: "line" }>;
  isHere: boolean;
  isCandidate: boolean;
}

function ExcerptLine({ row, isHere, isCandidate }: ExcerptLineProps) {
  return (
    <li class={["code-line", isHere ? "here" : "", isCandidate ? "candidate" : ""].join(" ")}>
      <span class="t3 line-number">{row.line}</span>
      <span class="line-text">
        <CodeText parts={row.parts} />
      </span>
    </li>
  );
}

function Callers({ callers }: { callers: readonly SourceView[] }) {
  return (
    <details>
      <summary class="s12">Called from</summary>
      <ol class="s12">
        {callers.map((frame, at) => (
          <li key={at} class="row">
            <PlaceLink source={frame} />
            <bdi class="mono t2 ell" title={frame.function}>
              {!frame.exact && "def "}
              {frame.function}
            </bdi>
          </li>
        ))}
      </ol>
    </details>
  );
}

function PlaceLink({ source }: { source: SourceView }) {
  return (
    <button class="link place" type="button" onClick={() => visitCode(placeOf(source))}>
      <Location source={source} />
    </button>
  );
}
