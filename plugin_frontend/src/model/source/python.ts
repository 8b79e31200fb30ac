// Python cut into what is colored; good enough to read by, no parser.

export interface CodePart {
  kind: "plain" | "keyword" | "string" | "number" | "comment";
  text: string;
}

/** The quotes that a line begins within: a text of several lines goes on. */
type OpenQuote = "" | '"""' | "'''";

const KEYWORDS = new Set(
  "and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield".split(
    " ",
  ),
);
const TOKEN = /(#.*)|([rbfuRBFU]{0,2}(?:"""|'''))|([rbfuRBFU]{0,2}(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))|(\b\d[\w.]*)|([^\W\d]\w*)/gu;

/** The parts of one line, and the quotes that are open at its end. */
export function cutPython(line: string, open: OpenQuote): { parts: CodePart[]; open: OpenQuote } {
  const parts: CodePart[] = [];
  let at = 0;
  const push = (kind: CodePart["kind"], end: number): void => {
    const last = parts.at(-1);
    if (last?.kind === "plain" && kind === "plain") last.text += line.slice(at, end);
    else if (end > at) parts.push({ kind, text: line.slice(at, end) });
    at = end;
  };
  /** Takes the text up to its closing quotes; false if they are on another line. */
  const takeText = (quote: OpenQuote, from: number): boolean => {
    const end = line.indexOf(quote, from);
    push("string", end < 0 ? line.length : end + quote.length);
    return end >= 0;
  };
  if (open !== "" && !takeText(open, 0)) return { parts, open };
  TOKEN.lastIndex = at;
  for (let found = TOKEN.exec(line); found !== null; found = TOKEN.exec(line)) {
    const [text, comment, opening, string, number] = found;
    push("plain", found.index);
    if (opening !== undefined) {
      const quote = opening.slice(-3) as OpenQuote;
      if (!takeText(quote, found.index + opening.length)) return { parts, open: quote };
      TOKEN.lastIndex = at;
      continue;
    }
    push(
      comment !== undefined ? "comment" : string !== undefined ? "string" : number !== undefined ? "number" : KEYWORDS.has(text) ? "keyword" : "plain",
      found.index + text.length,
    );
  }
  push("plain", line.length);
  return { parts, open: "" };
}

/** All lines of a piece of code. */
export function cutLines(lines: readonly string[]): CodePart[][] {
  let open: OpenQuote = "";
  return lines.map((line) => {
    const cut = cutPython(line, open);
    open = cut.open;
    return cut.parts;
  });
}
