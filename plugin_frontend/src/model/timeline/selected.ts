// What is selected in the timeline, as the address holds it: `e12`, `r3051`, `g1422000`, `s3`.

type SelectedKind = "episode" | "row" | "gap" | "site";

export interface Selected {
  kind: SelectedKind;
  /** Of an episode, of a row of the trace, of a site (then one of its episodes is meant), or an instant in ns within a gap. */
  number: number;
}

const LETTERS: Record<SelectedKind, string> = { episode: "e", row: "r", gap: "g", site: "s" };

export function printSelected({ kind, number }: Selected): string {
  return `${LETTERS[kind]}${Math.round(number)}`;
}

/** Null for what makes no sense. */
export function parseSelected(text: string | null | undefined): Selected | null {
  const found = /^([ergs])(\d{1,15})$/.exec(text ?? "");
  if (found === null) return null;
  const kind = (Object.keys(LETTERS) as SelectedKind[]).find((name) => LETTERS[name] === found[1]);
  return kind === undefined ? null : { kind, number: Number(found[2]) };
}
