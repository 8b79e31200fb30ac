import { COMPUTING, COPYING, causeFill, type Fill } from "../../draw/causes.ts";
import { Key } from "../../draw/Key.tsx";

const WORK: readonly [string, Fill][] = [
  ["kernels", COMPUTING],
  ["copy", COPYING],
];
const IDLE: readonly [string, Fill][] = [
  ["idle: after a sync", causeFill("sync")],
  ["idle: data", causeFill("data")],
  ["idle: launching", causeFill("launch")],
  ["idle: staging a copy", causeFill("staging")],
  ["idle: first calls", causeFill("loading")],
  ["idle: queued", causeFill("queued")],
  ["idle: other", causeFill("unknown")],
];

/** What the colours and patterns mean; those of idle where it is drawn. */
export function TimelineLegend({ hasIdle }: { hasIdle: boolean }) {
  return (
    <div class="row wrap s12 t3 track-legend">
      {[...WORK, ...(hasIdle ? IDLE : [])].map(([label, fill]) => (
        <span key={label} class="legend">
          <Key fill={fill} />
          {label}
        </span>
      ))}
      <span class="legend">
        <span class="key waits" />
        host waits
      </span>
      <span>higher bar = larger share of its time</span>
    </div>
  );
}
