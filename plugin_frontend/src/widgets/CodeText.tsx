import type { CodePart } from "../model/source/python.ts";

/** A line of Python, colored. */
export function CodeText({ parts }: { parts: readonly CodePart[] }) {
  return (
    <bdi dir="ltr">
      {parts.map(({ kind, text }, at) =>
        kind === "plain" ? (
          text
        ) : (
          <span key={at} class={`py-${kind}`}>
            {text}
          </span>
        ),
      )}
    </bdi>
  );
}
