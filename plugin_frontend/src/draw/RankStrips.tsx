import type { RankStrip } from "../api/types.ts";
import { piecesByKind, type Range, type StripKind, type StripPiece, stretchAt } from "../model/ranks/jobStrips.ts";
import { COMMUNICATING, COMPUTING, COPYING, causeFill, type Fill, TRANSFERRING, WAITING } from "./marks/causes.ts";

export const ROW_HEIGHT = 30;
const BAR_HEIGHT = 18;
const BAR_TOP = 6;

interface RankStripsProps {
  strips: readonly RankStrip[];
  range: Range;
  width: number;
  /** Index of a collective that all ranks are marked at. */
  meeting: number | null;
  /** Index of the rank that is late there. */
  late: number | null;
  /** Half the uncertainty of a rank's clock, by its index; null: not known. */
  errorOf: (rank: number) => number | null;
}

/** One row a rank: what it does before each collective, how long it waits in it, and the transfer. */
export function RankStrips({ strips, range, width, meeting, late, errorOf }: RankStripsProps) {
  const scale = width / (range.to - range.from);
  const place = (at: number): number => (at - range.from) * scale;
  return (
    <svg class="strips" width={width} height={strips.length * ROW_HEIGHT} aria-hidden="true">
      {strips.map((strip, row) => (
        <g key={strip.rank} transform={`translate(0 ${row * ROW_HEIGHT})`}>
          <rect y={BAR_TOP} width={width} height={BAR_HEIGHT} class="f-none" />
          {[...piecesByKind(strip, range, width)].map(([kind, pieces]) => (
            <path key={kind} d={pathOf(pieces, place)} {...fillOf(kind)} {...(kind === "wait" ? { "stroke-width": 1 } : {})} />
          ))}
          {strip.steps.map((step) => (
            <path key={step.step} d={`M${place(step.end_us)} 0V${ROW_HEIGHT}`} class="st-strong" />
          ))}
          <Marked strip={strip} meeting={meeting} isLate={strip.rank === late} place={place} />
          <ClockError strip={strip} error_us={errorOf(strip.rank)} meeting={meeting} place={place} />
        </g>
      ))}
    </svg>
  );
}

function pathOf(pieces: readonly StripPiece[], place: (at: number) => number): string {
  return pieces
    .map(({ kind, from, to }) => {
      // A hollow bar is drawn inside of its own border.
      const inset = kind === "wait" && place(to) - place(from) > 2 ? 0.5 : 0;
      const width = place(to) - place(from) - 2 * inset;
      return `M${round(place(from) + inset)} ${BAR_TOP + inset}h${round(width)}v${BAR_HEIGHT - 2 * inset}h${round(-width)}z`;
    })
    .join("");
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function fillOf(kind: StripKind): Fill {
  if (kind === "computing") return COMPUTING;
  if (kind === "communication") return COMMUNICATING;
  if (kind === "copying") return COPYING;
  if (kind === "transfer") return TRANSFERRING;
  if (kind === "wait") return WAITING;
  return causeFill(kind.slice("idle:".length));
}

/** A frame around what the rank did before the collective, thick around that of the late one. */
function Marked({ strip, meeting, isLate, place }: { strip: RankStrip; meeting: number | null; isLate: boolean; place: (at: number) => number }) {
  const stretch = meeting === null ? null : stretchAt(strip, meeting);
  if (stretch === null) return null;
  const x = place(stretch.begin_us);
  return (
    <>
      <path d={`M${place(stretch.end_us)} 0V${ROW_HEIGHT}`} class="st-text" stroke-dasharray="3 2" />
      {isLate && (
        <rect x={x} y={BAR_TOP - 2.5} width={Math.max(place(stretch.start_us) - x, 1)} height={BAR_HEIGHT + 5} class="nofill st-text" stroke-width="2" />
      )}
    </>
  );
}

const LEAST_ERROR_PX = 3;

/** How far the row may be off, at the end of the collective that is marked. */
function ClockError({
  strip,
  error_us: error,
  meeting,
  place,
}: {
  strip: RankStrip;
  error_us: number | null;
  meeting: number | null;
  place: (at: number) => number;
}) {
  const stretch = meeting === null ? null : stretchAt(strip, meeting);
  if (stretch === null || error === null) return null;
  const from = place(stretch.end_us - error);
  const to = place(stretch.end_us + error);
  if (to - from < LEAST_ERROR_PX) return null;
  const y = BAR_TOP + BAR_HEIGHT / 2;
  return <path d={`M${from} ${y - 4}v8M${from} ${y}H${to}M${to} ${y - 4}v8`} class="st-text nofill" stroke-width="1.5" />;
}
