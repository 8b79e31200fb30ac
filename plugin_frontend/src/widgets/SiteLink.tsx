import type { SiteRow } from "../api/types.ts";
import { formatLocation } from "../format/place.ts";

/** Where a site is, short; a click opens its drawer. */
export function SiteLink({ site, onOpen }: { site: SiteRow; onOpen: (index: number) => void }) {
  const { source } = site;
  const text = site.where === "" ? site.what : site.where;
  return (
    <button class="loc link ell" type="button" title={source === null ? text : formatLocation(source)} onClick={() => onOpen(site.index)}>
      <bdi dir="ltr">{text}</bdi>
    </button>
  );
}
