import type { SourceView } from "../api/types.ts";
import { formatLocation, LINE_NOT_RECORDED, splitPath } from "../format/place.ts";

interface LocationProps {
  source: Pick<SourceView, "file" | "line"> | null;
  /** Without its directory, which stays in the hover. */
  short?: boolean;
}

/** `file.py:12`; where space is short first the directory is cut, then the name, never the line. */
export function Location({ source, short = false }: LocationProps) {
  if (source === null) return <span class="t3">{LINE_NOT_RECORDED}</span>;
  const { directory, name } = splitPath(source.file);
  return (
    <span class="loc path" title={formatLocation(source)}>
      {!short && (
        <bdi class="ell dir" dir="ltr">
          {directory}
        </bdi>
      )}
      <bdi class="ell name" dir="ltr">
        {name}
      </bdi>
      {source.line !== null && <span>:{source.line}</span>}
    </span>
  );
}
