import type { EditRow } from "../api/types.ts";

/** Code before and after; the signs stay in the text, and are spoken. */
export function Change({ before, after }: { before: string; after: string }) {
  return (
    <div class="diff" tabIndex={0} role="group" aria-label="Before and after">
      {codeLines(before).map((line, at) => (
        <span key={`d${at}`} class="d">
          <span class="sr">removed: </span>- {line}
        </span>
      ))}
      {codeLines(after).map((line, at) => (
        <span key={`a${at}`} class="a">
          <span class="sr">added: </span>+ {line}
        </span>
      ))}
    </div>
  );
}

/** The program's own lines, changed. */
export function Edits({ edits }: { edits: readonly EditRow[] }) {
  return (
    <div class="diff" tabIndex={0} role="group" aria-label="Suggested change">
      {edits.map(({ line, before, after }) => [
        <span key={line} class="h">
          @@ line {line}
        </span>,
        ...(before === ""
          ? []
          : [
              <span key={`d${line}`} class="d">
                <span class="sr">removed: </span>- {before}
              </span>,
            ]),
        ...(after === ""
          ? []
          : [
              <span key={`a${line}`} class="a">
                <span class="sr">added: </span>+ {after}
              </span>,
            ]),
      ])}
    </div>
  );
}

function codeLines(code: string): string[] {
  return code === "" ? [] : code.replace(/\n+$/, "").split("\n");
}
