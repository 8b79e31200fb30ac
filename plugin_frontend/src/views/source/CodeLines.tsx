import { useState } from "preact/hooks";
import type { LineMark, SourceFile } from "../../api/types.ts";
import { type DurationUnit, tableUnit } from "../../format/duration.ts";
import { formatSaving, savingAmount } from "../../format/saving.ts";
import { type CodeRow, codeRows, type FoldRow, foldedRows } from "../../model/source/code.ts";
import type { CodePart } from "../../model/source/python.ts";
import { visit } from "../../state/place.ts";
import { notesOfCode } from "../../state/session.ts";
import { marksSteps } from "../../state/windowAnswer.ts";
import { CodeText } from "../../widgets/CodeText.tsx";
import { RemarkNote } from "./RemarkNote.tsx";

/** What the lines of a file have in common. */
interface Scale {
  unit: DurationUnit;
  largest_us: number;
  current: number | null;
}

/** A file's lines: what each saves, its number, its code, and the remarks under it. */
export function CodeLines({ file, current }: { file: SourceFile; current: number | null }) {
  const amounts = file.marks.map((mark) => savingAmount(mark.saving));
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const scale: Scale = { unit: tableUnit(amounts), largest_us: Math.max(...amounts, 0), current };
  return (
    <>
      {scale.largest_us > 0 && <SavingsHead unit={scale.unit} />}
      <ol class="code-lines mono">
        {foldedRows(codeRows(file), opened, current).map((row) => {
          if (row.kind === "gap") return <Gap key={`g${row.first}`} row={row} />;
          if (row.kind === "fold") return <Fold key={`f${row.first}`} row={row} onOpen={() => setOpened(new Set([...opened, row.first]))} />;
          return <Line key={row.line} row={row} scale={scale} file={file} />;
        })}
      </ol>
    </>
  );
}

/** What the gutter shows. */
function SavingsHead({ unit }: { unit: DurationUnit }) {
  return (
    <p class="code-head s11 t3">
      <span class="num">saves, {unit}</span>
      <span />
      <span class="row">
        <i class="swatch own" aria-hidden="true" />
        on this line
        <i class="swatch called" aria-hidden="true" />
        in what it calls
        <i class="swatch most" aria-hidden="true" />
        only a ceiling is known
        <span class="wide-only">{marksSteps.value ? "per step" : "in the window"}</span>
      </span>
    </p>
  );
}

function Gap({ row: { first, last } }: { row: Extract<CodeRow, { kind: "gap" }> }) {
  return <li class="code-gap s11 t3">{first === last ? `line ${first}` : `lines ${first}–${last}`} not recorded</li>;
}

function Fold({ row: { first, last }, onOpen }: { row: FoldRow; onOpen: () => void }) {
  return (
    <li class="code-gap">
      <button class="link s12" type="button" onClick={onOpen}>
        Show lines {first}–{last}
      </button>
    </li>
  );
}

interface LineProps {
  row: Extract<CodeRow, { mark: LineMark | null }>;
  scale: Scale;
  file: SourceFile;
}

function Line({ row, scale, file }: LineProps) {
  const { line, mark } = row;
  const heat = mark === null || mark.kind === "caller" || scale.largest_us === 0 ? 0 : savingAmount(mark.saving) / scale.largest_us;
  const classes = ["code-line", mark?.kind ?? "", scale.current === line ? "current" : ""].join(" ");
  return (
    <li data-line={line} class={classes} style={{ "--heat": `${Math.round(20 * heat)}%` }}>
      <Gutter mark={mark} scale={scale} />
      <span class="t3 line-number">{line}</span>
      <span class="line-text">
        {row.kind === "line" ? <CodeText parts={row.parts} /> : <Unseen name={row.mark.function} />}
        {mark !== null && <Note mark={mark} />}
        {mark !== null && row.kind === "line" && <Known parts={row.parts} />}
      </span>
      {mark?.remarks.map((remark) => (
        <RemarkNote key={remark.finding.fingerprint} remark={remark} mark={mark} path={file.path} />
      ))}
    </li>
  );
}

/** In place of code that was not recorded. */
function Unseen({ name }: { name: string }) {
  return (
    <>
      {name !== "" && (
        <bdi class="ell unseen t2" title={name}>
          {name}
        </bdi>
      )}
      <span class="t3">{name !== "" && ", "}code not recorded</span>
    </>
  );
}

function Gutter({ mark, scale }: { mark: LineMark | null; scale: Scale }) {
  if (mark === null || mark.saving === null) return <span />;
  const share = scale.largest_us === 0 ? 0 : savingAmount(mark.saving) / scale.largest_us;
  const kind = mark.kind === "caller" ? "called" : mark.saving.estimate_us === null ? "most" : "own";
  return (
    <span class="line-heat">
      <span class={kind === "called" ? "s11 t2" : "s11 b"}>{formatSaving(mark.saving, scale.unit)}</span>
      <i class={`swatch ${kind}`} aria-hidden="true" style={{ width: `${3 + Math.round(37 * Math.min(share, 1))}px` }} />
    </span>
  );
}

/** What a proof or an experiment said of the line last. */
function Known({ parts }: { parts: readonly CodePart[] }) {
  const code = parts.map(({ text }) => text).join("");
  const note = notesOfCode.value.get(code.trim());
  if (note === undefined) return null;
  return (
    <span class="line-note">
      <button class="link" type="button" title={note.text} onClick={() => visit({ view: "session" })}>
        <bdi>
          {note.kind}: {note.text}
        </bdi>
      </button>
    </span>
  );
}

/** Beside the code: what is known of the line, and the site to open. */
function Note({ mark }: { mark: LineMark }) {
  const [site] = mark.sites;
  return (
    <span class="line-note">
      {mark.numbers.map((number) => (
        <span key={number} class="disc" title={`Action ${number}`}>
          {number}
        </span>
      ))}
      {site === undefined ? (
        <span class="t3" title={mark.note}>
          <bdi>{mark.note}</bdi>
        </span>
      ) : (
        <button class="link" type="button" title={mark.note} onClick={() => visit({ site, rule: null, health: false })}>
          <bdi>{mark.note}</bdi>
        </button>
      )}
    </span>
  );
}
