import type { JobRank } from "../../api/types.ts";
import { visit } from "../../state/place.ts";
import { shown, visitWindow } from "../../state/runs/runs.ts";

/** Opens a rank's own window, which knows more of its lines. */
export function RankLink({ rank, prefix = "" }: { rank: JobRank | undefined; prefix?: string }) {
  if (rank === undefined) return null;
  return (
    <button class="link nw" type="button" title={rank.worker} onClick={() => openRank(rank)}>
      {prefix}
      <bdi>{rank.name}</bdi>
    </button>
  );
}

/** The window of the same place in line. */
function openRank({ worker }: JobRank): void {
  const current = shown.peek();
  const row = current?.run.workers.find((one) => one.worker === worker);
  const window = row?.windows[current?.windowIndex ?? 0] ?? row?.windows.at(-1);
  if (window === undefined) return;
  visitWindow({ worker, window: window.window });
  visit({ view: "overview" });
}
