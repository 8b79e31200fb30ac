import type { ComponentChildren } from "preact";
import type { MemoryHolder, MemoryMoment, MemoryView } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatCount, formatCounted, formatShare, shareOf } from "../../format/number.ts";
import { formatSize } from "../../format/size.ts";
import { Location } from "../../widgets/Location.tsx";
import { NumberHead } from "../../widgets/NumberHead.tsx";

/** Who allocated what is there at the moment, with what was there before the recording. */
export function HoldersTable({ shown, moment }: { shown: MemoryView; moment: MemoryMoment }) {
  const { holders } = moment;
  const columns = {
    module: holders.some((one) => one.module !== null),
    code: holders.some((one) => one.file !== null),
  };
  const between = Number(columns.module) + Number(columns.code) + 1;
  return (
    <section class="memory-holders" aria-labelledby="holders-title">
      <h2 id="holders-title" class="memory-part">
        {moment.is_peak ? "At the peak" : "At this moment"}: {formatSize(moment.allocated_bytes)} <span class="t3 s12">{aboutMoment(shown, moment)}</span>
      </h2>
      {holders.length > 0 && (
        <div class="scroll-x" tabIndex={0} role="region" aria-label="Table of holders">
          <table class="dense holders" aria-labelledby="holders-title">
            <thead>
              <tr>
                <th scope="col">Allocated by</th>
                {columns.module && <th scope="col">Module</th>}
                {columns.code && <th scope="col">Called in</th>}
                <NumberHead>Blocks</NumberHead>
                <NumberHead>Size</NumberHead>
                <NumberHead>Share</NumberHead>
              </tr>
            </thead>
            <tbody>
              {holders.map((holder, at) => (
                <Holder key={at} holder={holder} hasModules={columns.module} hasCode={columns.code} />
              ))}
              {moment.more_holders > 0 && (
                <Rest columns={between} bytes={moment.more_bytes} whole={moment.allocated_bytes}>
                  {formatCounted(moment.more_holders, "smaller one")}
                </Rest>
              )}
              {moment.before_bytes !== null && moment.before_bytes > 0 && (
                <Rest columns={between} bytes={moment.before_bytes} whole={moment.allocated_bytes}>
                  from before the recording
                </Rest>
              )}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function aboutMoment(shown: MemoryView, moment: MemoryMoment): string {
  const reserved = moment.reserved_bytes === null ? "" : `, ${formatSize(moment.reserved_bytes)} reserved`;
  const step = moment.step === null ? "" : `, in ${moment.step}`;
  return `of ${shown.device}, at ${formatDuration(moment.at_ns / 1000)}${step}${reserved}`;
}

function Holder({ holder, hasModules, hasCode }: { holder: MemoryHolder; hasModules: boolean; hasCode: boolean }) {
  return (
    <tr>
      <td class="mono anywhere">
        <bdi>{holder.operator ?? "in no operator"}</bdi>
      </td>
      {hasModules && (
        <td class="mono anywhere holder-module">
          <bdi>{holder.module ?? "—"}</bdi>
        </td>
      )}
      {hasCode && (
        <td class="anywhere">
          {holder.file === null ? (
            "—"
          ) : (
            <>
              <Location source={{ file: holder.file, line: holder.line }} short /> <bdi class="mono t3">{holder.function}</bdi>
            </>
          )}
        </td>
      )}
      <td class="num">{formatCount(holder.blocks)}</td>
      <td class="num">{formatSize(holder.bytes)}</td>
      <td class="num">{formatShare(holder.share)}</td>
    </tr>
  );
}

function Rest({ columns, bytes, whole, children }: { columns: number; bytes: number; whole: number; children: ComponentChildren }) {
  return (
    <tr class="t3">
      <td colSpan={columns + 1}>{children}</td>
      <td class="num">{formatSize(bytes)}</td>
      <td class="num">{formatShare(shareOf(bytes, whole))}</td>
    </tr>
  );
}
