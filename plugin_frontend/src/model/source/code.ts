// The lines of a file as the Source view lists them: code, its gaps, and lines without code.

import type { EditRow, FindingRow, LineMark, SitePlace, SiteRow, SourceFile, SourceFilesView, SourceView } from "../../api/types.ts";
import { type CodePart, cutLines } from "./python.ts";

export type CodeRow =
  | { kind: "line"; line: number; parts: readonly CodePart[]; mark: LineMark | null }
  /** Lines between two that are there. */
  | { kind: "gap"; first: number; last: number }
  /** A line that something is known of, without its code. */
  | { kind: "bare"; line: number; mark: LineMark };

/** Lines that are there and not shown, since nothing near them is known. */
export interface FoldRow {
  kind: "fold";
  first: number;
  last: number;
}

/** All lines of a file, ascending. */
export function codeRows(file: SourceFile): CodeRow[] {
  const marks = new Map(file.marks.map((mark) => [mark.line, mark]));
  const lines: CodeRow[] = file.code.flatMap((block) =>
    cutLines(block.lines).map((parts, at): CodeRow => {
      const line = block.first_line + at;
      return { kind: "line", line, parts, mark: marks.get(line) ?? null };
    }),
  );
  const there = new Set(lines.map((row) => (row.kind === "line" ? row.line : 0)));
  const bare = file.marks.filter((mark) => !there.has(mark.line)).map((mark): CodeRow => ({ kind: "bare", line: mark.line, mark }));
  const rows = [...lines, ...bare].sort((a, b) => lineOf(a) - lineOf(b));
  // Without any code there is nothing that a gap interrupts.
  return lines.length === 0 ? rows : withGaps(rows);
}

function lineOf(row: CodeRow): number {
  return row.kind === "gap" ? row.first : row.line;
}

function withGaps(rows: readonly CodeRow[]): CodeRow[] {
  return rows.flatMap((row, at) => {
    const before = rows[at - 1];
    if (before === undefined || lineOf(row) <= lineOf(before) + 1) return [row];
    return [{ kind: "gap", first: lineOf(before) + 1, last: lineOf(row) - 1 }, row];
  });
}

/** So many lines around one that something is known of stay in sight. */
const NEAR = 6;
/** A shorter stretch is no longer than the row that would stand for it is worth. */
const FEWEST_FOLDED = 6;

/**
 * The rows with long stretches of code folded that nothing is known near. A stretch stays open if its
 * first line is in `opened`, and so do the lines around `current`.
 */
export function foldedRows(rows: readonly CodeRow[], opened: ReadonlySet<number>, current: number | null): (CodeRow | FoldRow)[] {
  const known = rows.flatMap((row) => ((row.kind === "line" && row.mark !== null) || row.kind === "bare" ? [row.line] : []));
  const kept = current === null ? known : [...known, current];
  const isFar = (row: CodeRow): boolean => row.kind === "line" && kept.every((line) => Math.abs(line - row.line) > NEAR);
  const folded: (CodeRow | FoldRow)[] = [];
  for (let at = 0; at < rows.length; ) {
    const far = rows.slice(at, endOfRun(rows, at, isFar));
    const stretch = far.length > 0 ? far : rows.slice(at, at + 1);
    const [first, last] = [far[0], far.at(-1)];
    const isFolded = first !== undefined && last !== undefined && far.length >= FEWEST_FOLDED && !opened.has(lineOf(first));
    folded.push(...(isFolded ? [{ kind: "fold" as const, first: lineOf(first), last: lineOf(last) }] : stretch));
    at += stretch.length;
  }
  return folded;
}

/** The index of the first row from `start` on that is not such. */
function endOfRun(rows: readonly CodeRow[], start: number, isSuch: (row: CodeRow) => boolean): number {
  let end = start;
  for (let row = rows[end]; row !== undefined && isSuch(row); row = rows[end]) end += 1;
  return end;
}

/** The first and the last line whose code is there; null where there is none. */
export function codeRange({ code }: SourceFile): { first: number; last: number } | null {
  const [first] = code;
  const last = code.at(-1);
  return first === undefined || last === undefined ? null : { first: first.first_line, last: last.first_line + last.lines.length - 1 };
}

/** The lines of a file near one of them; without gaps. */
export function linesNear(file: SourceFile, line: number, around: number): CodeRow[] {
  return codeRows(file).filter((row) => row.kind === "line" && Math.abs(row.line - line) <= around);
}

/** A line of a file; null: none is known. */
export interface CodePlace {
  file: string;
  line: number | null;
}

/** The line of a site, or the first that it can be on. */
export function placeOf({ file, line, candidates }: SourceView): CodePlace {
  return { file, line: line ?? candidates[0] ?? null };
}

/** Where a site is, with its file; null where its line was not recorded. */
export function placeOfSite(source: SourceFilesView, site: number): { file: SourceFile; place: SitePlace } | null {
  const place = source.places.find((row) => row.site === site);
  const file = place === undefined ? undefined : source.files[place.file];
  return place === undefined || file === undefined ? null : { file, place };
}

/** All lines with remarks, file by file; without a GPU there are none, and it is those that would wait for one. */
export function remarkedPlaces(files: readonly SourceFile[]): { file: string; line: number }[] {
  const remarked = placesOf(files, (mark) => mark.remarks.length > 0);
  return remarked.length > 0 ? remarked : placesOf(files, (mark) => mark.kind === "predicted");
}

function placesOf(files: readonly SourceFile[], isMeant: (mark: LineMark) => boolean): { file: string; line: number }[] {
  return files.flatMap(({ path, marks }) => marks.filter(isMeant).map(({ line }) => ({ file: path, line })));
}

/** The remark after a place, or the one before it; round at the ends. Null where there are none. */
export function remarkBeside(files: readonly SourceFile[], from: CodePlace, by: 1 | -1): CodePlace | null {
  const places = remarkedPlaces(files);
  const order = (place: CodePlace): number => files.findIndex((file) => file.path === place.file) * 1e9 + (place.line ?? 0);
  const here = order(from);
  const found = by === 1 ? places.find((place) => order(place) > here) : places.findLast((place) => order(place) < here);
  return found ?? (by === 1 ? places[0] : places.at(-1)) ?? null;
}

/** The first line of a file with a remark, else with a mark: where the eye should go. */
export function firstMarked(file: SourceFile): number | null {
  return (remarkedPlaces([file])[0] ?? file.marks[0])?.line ?? null;
}

/** The user's own call beneath a library's frame; null where the site is in the user's own code. */
export function callBeneath(site: SiteRow): SiteRow["callers"][number] | null {
  return site.library === null ? null : (site.callers.at(-1) ?? null);
}

/** How a finding changes the program's own lines; none where that is not mechanical. */
export function editsOf(source: SourceFilesView, finding: FindingRow): readonly EditRow[] {
  const remarks = source.files.flatMap((file) => file.marks.flatMap((mark) => mark.remarks));
  return remarks.filter((remark) => remark.finding.fingerprint === finding.fingerprint).flatMap((remark) => remark.edits);
}
