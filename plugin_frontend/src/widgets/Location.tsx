import type { SourceView } from "../api/types.ts";
import { formatLocation, LINE_NOT_RECORDED, splitPath } from "../format/place.ts";

/** `file.py:12`; where space is short the directory goes before the name, and never the line. */
export function Location({ source }: { source: SourceView | null }) {
  if (source === null) return <span class="t3">{LINE_NOT_RECORDED}</span>;
  const { directory, name } = splitPath(formatLocation(source));
  return (
    <span class="loc path" title={formatLocation(source)}>
      <bdi class="ell dir">{directory}</bdi>
      <span>
        <bdi>{name}</bdi>
      </span>
    </span>
  );
}
