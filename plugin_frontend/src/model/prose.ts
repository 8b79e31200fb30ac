// Plain text of a rule's page, cut into paragraphs and code.

interface ProseBlock {
  kind: "text" | "code";
  text: string;
}

const INDENT = "    ";

/** Lines indented by four spaces are code, blank lines part paragraphs. */
export function splitProse(text: string): ProseBlock[] {
  const blocks: ProseBlock[] = [];
  let open: ProseBlock | null = null;
  let blanks = 0;
  for (const line of text.split("\n")) {
    if (line.trim() === "") {
      blanks += 1;
      continue;
    }
    const kind = line.startsWith(INDENT) ? "code" : "text";
    const content = kind === "code" ? line.slice(INDENT.length) : line.trim();
    const goesOn = open !== null && open.kind === kind && (blanks === 0 || kind === "code");
    if (goesOn && open !== null) {
      open.text += (kind === "code" ? "\n".repeat(blanks + 1) : " ") + content;
    } else {
      open = { kind, text: content };
      blocks.push(open);
    }
    blanks = 0;
  }
  return blocks;
}

interface InlinePart {
  kind: "text" | "code" | "strong" | "right-to-left";
  text: string;
}

const MARKED = /`([^`]+)`|\*\*(\S(?:[^*]*\S)?)\*\*/g;

/** Marks that would give the words after a name another direction. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Words written from right to left: what stands beside one would be taken for a part of it. */
const RIGHT_TO_LEFT = /([\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+(?: +[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+)*)/;

/** A sentence cut at its backticks and double stars; one without a partner stays in the text. */
export function splitInline(sentence: string): InlinePart[] {
  const parts: InlinePart[] = [];
  let end = 0;
  for (const found of sentence.matchAll(MARKED)) {
    const [whole, code, strong = ""] = found;
    parts.push({ kind: "text", text: sentence.slice(end, found.index) });
    parts.push(code === undefined ? { kind: "strong", text: strong } : { kind: "code", text: code });
    end = found.index + whole.length;
  }
  parts.push({ kind: "text", text: sentence.slice(end) });
  return parts.flatMap(apart).filter((part) => part.text !== "");
}

/** The same part with its marks of direction in sight, and of text the words that run the other way alone. */
function apart({ kind, text }: InlinePart): InlinePart[] {
  const shown = text.replace(DIRECTIONS, (mark) => `\\u{${mark.charCodeAt(0).toString(16)}}`);
  if (kind !== "text") return [{ kind, text: shown }];
  return shown.split(RIGHT_TO_LEFT).map((words, at) => ({ kind: at % 2 === 1 ? "right-to-left" : kind, text: words }));
}
