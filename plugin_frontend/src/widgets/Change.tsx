import type { EditRow } from "../api/types.ts";

/** A rule's own code, before and after its fix: not that of the program. */
export function Example({ before, after }: { before: string; after: string }) {
  return (
    <div class="col example">
      <h4>Example</h4>
      {before !== "" && <ExampleCode name="Before" code={before} />}
      {after !== "" && <ExampleCode name="After" code={after} />}
    </div>
  );
}

function ExampleCode({ name, code }: { name: string; code: string }) {
  return (
    <figure>
      <figcaption class="s12 t3">{name}</figcaption>
      <pre>{code.trimEnd()}</pre>
    </figure>
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
