import type { SiteRow } from "../api/types.ts";
import { formatChain, formatLocation, splitPath } from "../format/place.ts";

/** Where a site is, short; a click opens its drawer. */
export function SiteLink({ site, onOpen }: { site: SiteRow; onOpen: (index: number) => void }) {
  const { source, ops, what } = site;
  const chain = ops.length > 0 ? formatChain(ops.slice(0, 2)) : what;
  const text = source === null ? chain : `${splitPath(source.file).name}${source.line === null ? "" : `:${source.line}`}`;
  return (
    <button class="loc link ell" type="button" title={source === null ? chain : formatLocation(source)} onClick={() => onOpen(site.index)}>
      <bdi dir="ltr">{text}</bdi>
    </button>
  );
}
