import type { Progress } from "../../api/types.ts";
import { formatElapsed } from "../../format/duration.ts";
import { formatCounted } from "../../format/number.ts";
import { formatSizeIn, sizeUnit } from "../../format/size.ts";
import { Skeleton } from "./Skeleton.tsx";

/** A trace that is read for the first time. */
export function ReadingState({ progress }: { progress: Progress | null }) {
  return (
    <>
      <section class="page" aria-labelledby="reading">
        <h1 id="reading">Reading the trace</h1>
        <p class="t2" role="status">
          {progress === null ? "" : progressText(progress)}
        </p>
        {progress !== null && <progress max={Math.max(progress.total_bytes, 1)} value={progress.read_bytes} aria-label="Bytes read" />}
        <p class="s12 t3">Its report is kept: the next visit opens at once. You may leave this tab.</p>
      </section>
      <Skeleton />
    </>
  );
}

function progressText({ read_bytes, total_bytes, elapsed_s, ahead }: Progress): string {
  const unit = sizeUnit(total_bytes);
  const parts = [`${formatElapsed(elapsed_s)} so far`];
  // Before the first piece of the file nobody knows its size.
  if (total_bytes > 0) parts.unshift(`${formatSizeIn(read_bytes, unit)} of ${formatSizeIn(total_bytes, unit)} ${unit}`);
  if (ahead > 0) parts.push(`after ${formatCounted(ahead, "other trace")}`);
  return parts.join(" · ");
}
