// Plain text of a rule's page, cut into paragraphs and code.

export interface ProseBlock {
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

/** A sentence cut at its backticks; one without a partner stays in the text. */
export function splitInlineCode(sentence: string): ProseBlock[] {
  const parts = sentence.split(/`([^`]+)`/);
  return parts
    .map((text, at): ProseBlock => ({ kind: at % 2 === 1 ? "code" : "text", text }))
    .filter((part) => part.text !== "");
}
