import { COMPUTING, COPYING, causeFill } from "../../draw/marks/causes.ts";
import { Legend, type LegendEntry } from "../../draw/marks/Legend.tsx";

const WORK: readonly LegendEntry[] = [
  [COMPUTING, "kernels"],
  [COPYING, "copy"],
];
const IDLE: readonly LegendEntry[] = [
  [causeFill("sync"), "idle: refilling after a sync"],
  [causeFill("data"), "idle: waiting for data"],
  [causeFill("launch"), "idle: host is late to launch"],
  [causeFill("garbage_collection"), "idle: garbage collection"],
  [causeFill("staging"), "idle: copying pageable memory"],
  [causeFill("loading"), "idle: loading in first calls"],
  [causeFill("queued"), "idle: work is queued"],
  [causeFill("unknown"), "idle: other"],
];

/** What the colors and patterns mean; those of idle where it is drawn. */
export function TimelineLegend({ hasIdle }: { hasIdle: boolean }) {
  return (
    <div class="row wrap s12 t3 track-legend">
      <Legend entries={[...WORK, ...(hasIdle ? IDLE : [])]} />
      <span class="legend">
        <span class="key waits" />
        host waits
      </span>
      <span>higher bar = larger share of its time</span>
    </div>
  );
}
