import { useEffect } from "preact/hooks";
import type { MemoryDocument, MemoryPart } from "../../api/types.ts";
import { MemoryStackDrawing } from "../../draw/charts/MemoryStackDrawing.tsx";
import { formatCount, formatShare } from "../../format/number.ts";
import { formatSize } from "../../format/size.ts";
import { loadMemoryFiles, memoryDocument, memoryFiles, openMemoryFile, toggleMemoryFile } from "../../state/memory/memoryFiles.ts";
import { NumberHead } from "../../widgets/NumberHead.tsx";

/** Beside the windows of the run: where memory ran out, snapshots, and steps that the hook followed. */
export function MemoryFiles({ title = "Beside the windows of this run" }: { title?: string }) {
  useEffect(loadMemoryFiles, []);
  const files = memoryFiles.value;
  if (files.length === 0) return null;
  return (
    <section class="memory-files" aria-labelledby="memory-files-title">
      <h2 id="memory-files-title" class="memory-part">
        {title}
      </h2>
      <ul>
        {files.map((file) => (
          <li key={file.name}>
            <button class="btn sm" type="button" aria-expanded={openMemoryFile.value === file.name} onClick={() => toggleMemoryFile(file.name)}>
              {file.title}
            </button>{" "}
            <bdi class="mono t3 s12 anywhere">{file.name}</bdi>
          </li>
        ))}
      </ul>
      {openMemoryFile.value !== null && <OpenFile />}
    </section>
  );
}

function OpenFile() {
  const answer = memoryDocument.value;
  if (answer.kind === "loading") return <p class="t3">The file is being read.</p>;
  if (answer.kind === "failed") return <p class="anywhere">{answer.message}</p>;
  return <Document shown={answer.value} />;
}

function Document({ shown }: { shown: MemoryDocument }) {
  return (
    <article class="memory-document">
      <h3 class="anywhere">{shown.headline}</h3>
      {shown.stack !== null && <MemoryStackDrawing stack={shown.stack} />}
      {shown.parts.map((part) => (
        <Part key={part.title} part={part} />
      ))}
    </article>
  );
}

function Part({ part }: { part: MemoryPart }) {
  return (
    <section>
      <h4>{part.title}</h4>
      {part.sentences.map((sentence) => (
        <p key={sentence} class="t2 anywhere">
          {sentence}
        </p>
      ))}
      {part.points.length > 0 && (
        <ul class="points">
          {part.points.map((point, at) => (
            <li key={at} class="anywhere">
              <bdi>{point}</bdi>
            </li>
          ))}
        </ul>
      )}
      {part.rows.length > 0 && <Rows part={part} />}
    </section>
  );
}

function Rows({ part }: { part: MemoryPart }) {
  const hasNumbers = part.rows.some((row) => row.number !== null);
  const hasShares = part.rows.some((row) => row.share !== null);
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label={`Table: ${part.title}`}>
      <table class="dense holders" aria-label={part.title}>
        <thead>
          <tr>
            <th scope="col">Held by</th>
            {hasNumbers && <NumberHead>{part.counted}</NumberHead>}
            <NumberHead>Size</NumberHead>
            {hasShares && <NumberHead>Share</NumberHead>}
          </tr>
        </thead>
        <tbody>
          {part.rows.map((row) => (
            <tr key={row.name}>
              <td class="anywhere">
                <bdi>{row.name}</bdi>
              </td>
              {hasNumbers && <td class="num">{row.number === null ? "" : formatCount(row.number)}</td>}
              <td class="num">{formatSize(row.bytes)}</td>
              {hasShares && <td class="num">{row.share === null ? "" : formatShare(row.share)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
