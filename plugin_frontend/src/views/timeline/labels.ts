import type { SiteRow, TimelineView } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { splitPath } from "../../format/place.ts";
import { kindOf, laneOf, type Tile } from "../../model/timeline/tile.ts";

const CAUSES: Record<string, string> = { sync: "sync", data: "data", launch: "launch", queued: "queued" };

/** The name that is written on a span. */
export function labelsOf(timeline: TimelineView, sites: readonly SiteRow[]): (tile: Tile, at: number) => string {
  const names = new Map(timeline.causes.map(({ cause, name }) => [cause, CAUSES[cause] ?? name]));
  return (tile, at) => {
    const place = tile.place[at] ?? 0;
    const lane = timeline.lanes[laneOf(place)];
    if (lane?.kind === "episodes") return siteLabel(sites[tile.name[at] ?? -1]);
    if (lane?.kind !== "idle") return tile.names[tile.name[at] ?? -1] ?? "";
    const cause = timeline.kinds[kindOf(place)] ?? "";
    return `${names.get(cause) ?? cause} ${formatDuration(((tile.endNs[at] ?? 0) - (tile.startNs[at] ?? 0)) / 1000)}`;
  };
}

/** `train.py:12`, else the op. */
function siteLabel(site: SiteRow | undefined): string {
  if (site === undefined) return "";
  if (site.source === null) return site.ops[0] ?? site.calls[0] ?? "";
  const { name } = splitPath(site.source.file);
  return site.source.line === null ? name : `${name}:${site.source.line}`;
}
