import { splitProse } from "../model/prose.ts";

/** Plain text with its code set apart. */
export function Prose({ text }: { text: string }) {
  return (
    <>
      {splitProse(text).map((block, at) =>
        block.kind === "code" ? (
          <pre key={at} class="code" tabIndex={0}>
            {block.text}
          </pre>
        ) : (
          <p key={at} class="anywhere">
            {block.text}
          </p>
        ),
      )}
    </>
  );
}
