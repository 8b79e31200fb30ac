import { splitInline, splitProse } from "../model/prose.ts";

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
            <InlineText text={block.text} />
          </p>
        ),
      )}
    </>
  );
}

/** A sentence with what stands between backticks as code, between two stars as bold; no name moves the rest. */
export function InlineText({ text }: { text: string }) {
  return (
    <>
      {splitInline(text).map((part, at) => {
        if (part.kind === "text") return part.text;
        const text = <bdi key={at}>{part.text}</bdi>;
        if (part.kind === "code") return <code key={at}>{text}</code>;
        return part.kind === "strong" ? <strong key={at}>{text}</strong> : text;
      })}
    </>
  );
}
