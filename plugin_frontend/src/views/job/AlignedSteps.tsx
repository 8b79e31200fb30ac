import { useEffect, useRef, useState } from "preact/hooks";
import type { JobPage, RankStrip } from "../../api/types.ts";
import { RangeAxis } from "../../draw/charts/RangeAxis.tsx";
import { COMMUNICATING, COMPUTING, COPYING, WAITING } from "../../draw/marks/causes.ts";
import { Legend, type LegendEntry } from "../../draw/marks/Legend.tsx";
import { RankStrips, ROW_HEIGHT } from "../../draw/RankStrips.tsx";
import { formatDuration } from "../../format/duration.ts";
import { formatCount, formatCounted } from "../../format/number.ts";
import { meetingAt, meetingRange, moved, outstandingStrips, type Range, stepRange, wholeRange, worstStep, zoomed } from "../../model/ranks/jobStrips.ts";
import { Card } from "../../widgets/Card.tsx";
import { Icon } from "../../widgets/Icon.tsx";
import { Picker } from "../../widgets/picker/Picker.tsx";
import { useWidth } from "../../widgets/useWidth.ts";
import { MeetingCard } from "./MeetingCard.tsx";
import { RankLink } from "./RankLink.tsx";
import { useDragRange } from "./useDragRange.ts";

const ALL = "all";

/** Idle has the patterns of the table above. */
const ENTRIES: readonly LegendEntry[] = [
  [COMPUTING, "computing"],
  [WAITING, "waiting for others"],
  [COMMUNICATING, "transfer"],
  [COPYING, "copying"],
];

/** The steps of the ranks above one another, from the whole window down to one collective. */
export function AlignedSteps({ page }: { page: JobPage }) {
  const whole = wholeRange(page);
  const first = worstStep(page);
  const [step, setStep] = useState<number | null>(first);
  const [range, setRange] = useState<Range>(stepRange(page, first) ?? whole);
  const [meeting, setMeeting] = useState<number | null>(null);
  const showStep = (at: number | null): void => {
    setStep(at);
    setRange((at === null ? null : stepRange(page, at)) ?? whole);
    setMeeting(null);
  };
  const showMeeting = (at: number): void => {
    const row = page.meetings[at];
    const around = meetingRange(page, at);
    if (row === undefined || around === null) return;
    setStep(row.step);
    setRange(around);
    setMeeting(at);
  };
  // A page of another window has other steps.
  useEffect(() => showStep(worstStep(page)), [page.strips.length, page.meetings.length]);
  const [all, setAll] = useState(false);
  const strips = all ? page.strips : outstandingStrips(page);
  const some = `${formatCount(strips.length)} of ${formatCounted(page.ranks.length, "rank")}: the latest, and who waits longest`;
  const about = strips.length < page.ranks.length ? some : formatCounted(strips.length, "rank");
  return (
    <Card id="aligned" title="The ranks’ steps on one axis" about={about} aside={<StripsLegend />}>
      <div class="tool wrap">
        <StepPicker page={page} step={step} onPick={showStep} />
        <Zoom range={range} whole={whole} onRange={setRange} />
        <MeetingButtons page={page} meeting={meeting} step={step} onMeeting={showMeeting} />
      </div>
      <Strips page={page} strips={strips} range={range} meeting={meeting} onRange={setRange} onMeeting={setMeeting} />
      <p class="in s12 t2 about-clocks">
        {aboutClocks(page)}{" "}
        {strips.length < page.strips.length && (
          <button class="btn sm" type="button" onClick={() => setAll(true)}>
            Draw all {formatCount(page.strips.length)}
          </button>
        )}
      </p>
      {meeting !== null && page.meetings[meeting] !== undefined && (
        <MeetingCard page={page} meeting={meeting} onZoom={() => showMeeting(meeting)} onClose={() => setMeeting(null)} />
      )}
    </Card>
  );
}

function aboutClocks({ strips, ranks }: JobPage): string {
  const errors = strips.flatMap(({ rank }) => ranks[rank]?.clock_error_us ?? []);
  const most = Math.max(...errors, 0) === 0 ? "" : ` by up to ${formatDuration(Math.max(...errors))}`;
  return `Clocks are aligned by the ends of matched collectives; a row may be off${most}. No figure depends on it. Before a collective a rank’s time is drawn by kind, not in the order in which it was spent. Click a collective for its ranks, drag to zoom.`;
}

function StepPicker({ page, step, onPick }: { page: JobPage; step: number | null; onPick: (step: number | null) => void }) {
  const drawn = new Set(page.meetings.map((meeting) => meeting.step));
  const options = page.steps.flatMap((one, at) => {
    if (!drawn.has(at)) return [];
    const late = one.late_rank === null ? "nobody late" : `${page.ranks[one.late_rank]?.name ?? ""} late by ${formatDuration(one.late_us)}`;
    return [{ key: String(at), text: `step ${formatCount(one.step)}`, detail: late }];
  });
  const shown = options.find(({ key }) => key === String(step));
  return (
    <Picker
      label="Step"
      value={shown === undefined ? "all" : `${shown.text}, ${shown.detail}`}
      selected={step === null ? ALL : String(step)}
      options={[{ key: ALL, text: "all steps", detail: "" }, ...options]}
      onPick={(key) => onPick(key === ALL ? null : Number(key))}
    />
  );
}

const ZOOM_FACTOR = 0.5;
const MOVE_SHARE = 0.5;

function Zoom({ range, whole, onRange }: { range: Range; whole: Range; onRange: (range: Range) => void }) {
  return (
    <span class="row">
      <button class="btn sm" type="button" onClick={() => onRange(zoomed(range, ZOOM_FACTOR, whole))}>
        Zoom in
      </button>
      <button class="btn sm" type="button" onClick={() => onRange(zoomed(range, 1 / ZOOM_FACTOR, whole))}>
        Zoom out
      </button>
      <button class="btn sm ico-only" type="button" aria-label="Earlier" onClick={() => onRange(moved(range, -MOVE_SHARE, whole))}>
        <Icon name="previous" />
      </button>
      <button class="btn sm ico-only" type="button" aria-label="Later" onClick={() => onRange(moved(range, MOVE_SHARE, whole))}>
        <Icon name="next" />
      </button>
    </span>
  );
}

interface MeetingButtonsProps {
  page: JobPage;
  meeting: number | null;
  step: number | null;
  onMeeting: (meeting: number) => void;
}

/** From collective to collective, without a pointer. */
function MeetingButtons({ page, meeting, step, onMeeting }: MeetingButtonsProps) {
  const first = page.meetings.findIndex((row) => step === null || row.step === step);
  const longest = page.meetings.reduce((most, row, at) => {
    if (step !== null && row.step !== step) return most;
    return most < 0 || row.wait_us > (page.meetings[most]?.wait_us ?? 0) ? at : most;
  }, -1);
  const next = meeting === null ? first : meeting + 1;
  const before = meeting === null ? -1 : meeting - 1;
  return (
    <span class="row right">
      <button class="btn sm" type="button" disabled={longest < 0} onClick={() => onMeeting(longest)}>
        Longest wait
      </button>
      <button class="btn sm" type="button" disabled={before < 0} onClick={() => onMeeting(before)}>
        Previous collective
      </button>
      <button class="btn sm" type="button" disabled={page.meetings[next] === undefined} onClick={() => onMeeting(next)}>
        Next collective
      </button>
    </span>
  );
}

interface StripsProps {
  page: JobPage;
  strips: readonly RankStrip[];
  range: Range;
  meeting: number | null;
  onRange: (range: Range) => void;
  onMeeting: (meeting: number | null) => void;
}

function Strips({ page, strips, range, meeting, onRange, onMeeting }: StripsProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(() => box.current);
  const late = meeting === null ? null : (page.meetings[meeting]?.late_rank ?? null);
  const drag = useDragRange({
    range,
    width,
    onRange,
    onClick: (at, y) => {
      const strip = strips[Math.floor(y / ROW_HEIGHT)];
      if (strip !== undefined) onMeeting(meetingAt(strip, at));
    },
  });
  return (
    <div class="in aligned">
      <div>
        {strips.map((strip) => (
          <div key={strip.rank} style={{ height: `${ROW_HEIGHT}px` }} class="row s12">
            <RankLink rank={page.ranks[strip.rank]} />
            <span class="t3 nw">{errorText(page.ranks[strip.rank]?.clock_error_us ?? null)}</span>
          </div>
        ))}
      </div>
      <div ref={box} class="drawing" role="img" aria-label={labelOf(page, range)} {...drag.handlers}>
        {width > 0 && (
          <>
            <RankStrips
              strips={strips}
              range={range}
              width={width}
              meeting={meeting}
              late={late}
              errorOf={(rank) => page.ranks[rank]?.clock_error_us ?? null}
            />
            {drag.marked !== null && <div class="marked" style={{ left: `${drag.marked.left}px`, width: `${drag.marked.width}px` }} />}
            <RangeAxis range={range} width={width} />
          </>
        )}
      </div>
    </div>
  );
}

function errorText(error: number | null): string {
  return error === null || error === 0 ? "" : `± ${formatDuration(error)}`;
}

function labelOf(page: JobPage, { from, to }: Range): string {
  const inside = page.meetings.filter((row) => row.end_us > from && row.end_us <= to).length;
  return `${formatCounted(page.strips.length, "rank")} over ${formatDuration(to - from)} with ${formatCounted(inside, "matched collective")}. The tables hold the same figures.`;
}

function StripsLegend() {
  return (
    <span class="row wrap legends">
      <Legend entries={ENTRIES} />
    </span>
  );
}
