import type { Fill } from "../marks/causes.ts";

export interface Segment {
  length_us: number;
  fill: Fill;
  /** Written into the segment where it fits; "" for none. */
  text: string;
  /** How the text stands on the fill. */
  textClass: "inv" | "on2" | "tx";
  dashed?: boolean;
}

interface StackBarProps {
  segments: readonly Segment[];
  /** The length that fills the whole width. */
  scale_us: number;
  label: string;
}

const HEIGHT = 24;
/** Width of a letter as a part of the narrowest bar there is. */
const LETTER_SHARE = 6.6 / 560;

/** Parts of one time, side by side, on an axis that other bars share. */
export function StackBar({ segments, scale_us, label }: StackBarProps) {
  let start = 0;
  const placed = segments.map((segment) => {
    const from = start;
    start += segment.length_us;
    return { segment, from: percent(from, scale_us), width: percent(segment.length_us, scale_us) };
  });
  return (
    <svg class="stack" width="100%" height={HEIGHT} role="img" aria-label={label}>
      {placed.map(({ segment, from, width }, at) => (
        <g key={at}>
          <rect x={`${from}%`} y={segment.dashed ? 0.5 : 0} width={`${width}%`} height={segment.dashed ? HEIGHT - 1 : HEIGHT} {...segment.fill} />
          {segment.dashed && <rect x={`${from}%`} y="0.5" width={`${width}%`} height={HEIGHT - 1} class="nofill st-strong" stroke-dasharray="3 2" />}
          {at > 0 && width > 0.2 && <rect x={`${from}%`} y="0" width="1" height={HEIGHT} class="f-surface" />}
          {fits(segment.text, width) && (
            <text x={`${from + 0.7}%`} y="16" class={segment.textClass} font-weight="600">
              {segment.text}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

function percent(part: number, whole: number): number {
  return whole > 0 ? (100 * Math.max(part, 0)) / whole : 0;
}

function fits(text: string, width: number): boolean {
  return text !== "" && width / 100 > (text.length + 1) * LETTER_SHARE;
}
