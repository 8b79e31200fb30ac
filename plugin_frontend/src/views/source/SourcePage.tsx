import { useEffect, useRef } from "preact/hooks";
import type { SourceFile, SourceFilesView, WindowView } from "../../api/types.ts";
import { failureTitle } from "../../state/loading/loaded.ts";
import { visit } from "../../state/place.ts";
import { loadSession } from "../../state/session.ts";
import { openFile, openLine, source } from "../../state/source/source.ts";
import { Icon } from "../../widgets/Icon.tsx";
import { Workspace } from "../Workspace.tsx";
import { CodeLines } from "./CodeLines.tsx";
import { CodeTools } from "./CodeTools.tsx";
import { Elsewhere } from "./Elsewhere.tsx";
import { FileList } from "./FileList.tsx";

/** The program's own files: what each line saves, and the findings under their lines. */
export function SourcePage({ view }: { view: WindowView }) {
  return (
    <Workspace view={view}>
      <SourcePanes view={view} />
    </Workspace>
  );
}

function SourcePanes({ view }: { view: WindowView }) {
  const loaded = source.value;
  if (loaded.kind === "loading")
    return (
      <div class="pane" tabIndex={0} role="region" aria-label="Source">
        <div class="page">
          <h1 class="sr">Source</h1>
          <div class="skel" />
        </div>
      </div>
    );
  if (loaded.kind === "failed") {
    return (
      <div class="pane" tabIndex={0} role="region" aria-label="Source">
        <div class="page narrow">
          <h1>{failureTitle(loaded, "The code could not be loaded")}</h1>
          <p class="row anywhere">
            <Icon name="error" tone="i-bad" />
            {loaded.message}
          </p>
        </div>
      </div>
    );
  }
  const file = openFile.value;
  return file === null ? <NoFiles source={loaded.value} view={view} /> : <Panes source={loaded.value} file={file} />;
}

function Panes({ source: shown, file }: { source: SourceFilesView; file: SourceFile }) {
  const pane = useRef<HTMLDivElement>(null);
  useEffect(loadSession, []);
  const line = openLine.value;
  useEffect(() => {
    pane.current?.querySelector(`[data-line="${line}"]`)?.scrollIntoView({ block: "center" });
  }, [file.path, line]);
  return (
    <div class="source">
      <h1 class="sr">Source</h1>
      <FileList source={shown} open={file} />
      <div class="source-code">
        <CodeTools source={shown} file={file} line={line} />
        <div class="pane" ref={pane} tabIndex={0} role="region" aria-label={`Code of ${file.path}`}>
          <CodeLines key={file.path} file={file} current={line} />
        </div>
      </div>
    </div>
  );
}

function NoFiles({ source: shown, view }: { source: SourceFilesView; view: WindowView }) {
  return (
    <div class="pane" tabIndex={0} role="region" aria-label="Source">
      <div class="page narrow">
        <h1>No line of code was recorded with this window</h1>
        {view.sites.length > 0 && (
          <p class="t2">Its sites are named by their ops in Sync points and Copies. Record with the trainer hook, or with stacks, to see their lines.</p>
        )}
        <p class="t2 anywhere">{shown.about}</p>
        <Elsewhere findings={shown.elsewhere} />
        {view.sites.length > 0 && (
          <p class="row">
            <button class="btn p" type="button" onClick={() => visit({ view: "syncs" })}>
              Show the sync points
            </button>
          </p>
        )}
      </div>
    </div>
  );
}
