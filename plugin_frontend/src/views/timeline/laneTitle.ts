import type { LaneRow, TimelineView } from "../../api/types.ts";
import { formatCount } from "../../format/number.ts";

/** What stands at the left of a lane. */
export function laneTitle(row: LaneRow, timeline: TimelineView): { title: string; detail: string } {
  const several = timeline.lanes.filter((lane) => lane.kind === "idle").length > 1;
  switch (row.kind) {
    case "idle":
      return { title: several ? `GPU ${row.device} idle` : "GPU idle", detail: "share, by cause" };
    case "use":
      return { title: several ? `GPU ${row.device} use` : "GPU use", detail: "pale: a kernel runs" };
    case "communication":
      return { title: several ? `Communication ${row.device}` : "Communication", detail: "filled: nothing beside it" };
    case "stream":
      return { title: `Stream ${row.stream}`, detail: `GPU ${row.device}` };
    case "queue":
      return { title: several ? `Launch queue ${row.device}` : "Launch queue", detail: `0 to ${formatCount(row.peak)} waiting` };
    case "episodes":
      return { title: "Sync and copy", detail: "numbers: actions" };
    case "main":
      return { title: "Main thread", detail: row.name };
    case "autograd":
      return { title: "Autograd thread", detail: row.name };
    case "thread":
      return { title: row.name, detail: "thread" };
  }
}
