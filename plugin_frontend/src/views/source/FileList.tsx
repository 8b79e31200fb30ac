import { useState } from "preact/hooks";
import type { SourceFile, SourceFilesView } from "../../api/types.ts";
import { type DurationUnit, tableUnit } from "../../format/duration.ts";
import { formatCounted } from "../../format/number.ts";
import { splitPath } from "../../format/place.ts";
import { formatSaving, savingAmount } from "../../format/saving.ts";
import { visit } from "../../state/place.ts";
import { marksSteps } from "../../state/windowAnswer.ts";
import { Icon } from "../../widgets/Icon.tsx";
import { Elsewhere } from "./Elsewhere.tsx";

/** The user's files, most to be saved first; those of libraries are folded. */
export function FileList({ source, open }: { source: SourceFilesView; open: SourceFile }) {
  const [filter, setFilter] = useState("");
  const found = source.files.filter((file) => searchText(file).includes(filter.toLowerCase()));
  const own = found.filter((file) => file.library === "");
  const libraries = found.filter((file) => file.library !== "");
  const unit = tableUnit(source.files.map((file) => savingAmount(file.saving)));
  return (
    <nav class="pane files" aria-label="Files" tabIndex={0}>
      <div class="col files-head">
        <label class="field">
          <Icon name="search" />
          <span class="sr">Filter files and functions</span>
          <input id="filter" placeholder="Filter files" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        </label>
        <p class="row s12 t3">
          <span>File</span>
          {source.files.some(({ saving }) => saving !== null) && <span class="right">{marksSteps.value ? `saves, ${unit} / step` : `saves, ${unit}`}</span>}
        </p>
      </div>
      <Files files={own} open={open} unit={unit} />
      {found.length === 0 && <p class="s12 t3 files-head">No file of this name</p>}
      {libraries.length > 0 && (
        <details class="hr" open={open.library !== "" || own.length === 0}>
          <summary class="s12 files-head">
            Libraries{" "}
            <span class="right t3">
              {formatCounted(
                libraries.reduce((sum, file) => sum + file.findings, 0),
                "finding",
              )}
            </span>
          </summary>
          <Files files={libraries} open={open} unit={unit} />
        </details>
      )}
      {source.elsewhere.length > 0 && (
        <div class="hr files-head">
          <Elsewhere findings={source.elsewhere} />
        </div>
      )}
      <p class="hr s12 t3 files-head anywhere">{source.about}</p>
    </nav>
  );
}

function searchText(file: SourceFile): string {
  return [file.path, ...file.functions.map(({ name }) => name)].join("\n").toLowerCase();
}

function Files({ files, open, unit }: { files: readonly SourceFile[]; open: SourceFile; unit: DurationUnit }) {
  return (
    <ul>
      {files.map((file) => (
        <li key={file.path}>
          <FileRow file={file} isOpen={file.path === open.path} unit={unit} />
        </li>
      ))}
    </ul>
  );
}

function FileRow({ file, isOpen, unit }: { file: SourceFile; isOpen: boolean; unit: DurationUnit }) {
  const functions = file.functions.map(({ name }) => name).join(", ");
  return (
    <>
      <button
        class="file"
        type="button"
        title={file.path}
        {...(isOpen ? { "aria-current": "true" as const } : {})}
        onClick={() => visit({ file: file.path, line: null })}
      >
        <span class="grow">
          <bdi class="mono ell block" dir="ltr">
            {splitPath(file.path).name}
          </bdi>
          <bdi class="s11 t3 ell block">{file.library !== "" ? file.library : functions || "no sites"}</bdi>
        </span>
        <span class="num">
          {file.saving !== null && <span class="b block">{formatSaving(file.saving, unit)}</span>}
          <span class="s11 t3">{file.findings > 0 ? formatCounted(file.findings, "finding") : ""}</span>
        </span>
      </button>
      {isOpen && file.functions.length > 1 && <Functions file={file} unit={unit} />}
    </>
  );
}

function Functions({ file, unit }: { file: SourceFile; unit: DurationUnit }) {
  return (
    <ul aria-label={`Functions of ${file.path}`}>
      {file.functions.map((row) => (
        <li key={row.name}>
          <button class="file function s12" type="button" title={row.name} onClick={() => visit({ file: file.path, line: row.line })}>
            <bdi class="mono ell grow">{row.name}</bdi>
            {row.saving !== null && <span class="num">{formatSaving(row.saving, unit)}</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}
