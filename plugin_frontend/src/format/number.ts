// Figures as text: thousands, shares and counts. Missing is a word, never 0.
//
// Sentences write theirs by the same rules, in `tbprof/texts/figures`; `tests/data/figures.json` holds what both
// make of the same numbers.

/** Between a figure and its unit, so that the two never part. */
export const NARROW_SPACE = "\u202f";
const MINUS = "\u2212";
export const NOT_RECORDED = "not recorded";

const GROUPED = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** `text` writes the size; in front of "0" and "<0.1" is no sign. */
function withSign(value: number, text: (size: number) => string, plus: string): string {
  const size = text(Math.abs(value));
  if (value === 0 || size === "0" || size.startsWith("<")) return size;
  return (value < 0 ? MINUS : plus) + size;
}

/** With a minus in front of what is negative. */
export function formatNegative(value: number, text: (size: number) => string): string {
  return withSign(value, text, "");
}

/** With a sign in front; `text` writes its size. */
export function formatSigned(value: number, text: (size: number) => string): string {
  return withSign(value, text, "+");
}

/** A whole number with commas: `1,211`. */
export function formatCount(count: number): string {
  return formatNegative(count, (size) => GROUPED.format(size));
}

/** A mean of counts: whole where it is whole, else one decimal. */
export function formatMean(mean: number): string {
  return Number.isInteger(mean) ? formatCount(mean) : formatDecimal(mean);
}

/** One decimal; none from 1,000 on; `<0.1` for what would look like nothing; `0` for true zero. */
export function formatDecimal(value: number): string {
  return formatNegative(value, (size) => {
    if (size === 0) return "0";
    if (size < 0.1) return "<0.1";
    return size < 999.95 ? size.toFixed(1) : formatCount(size);
  });
}

/** A share of 0 to 1 in percent: `28 %`, `5.9 %`, `<0.1 %`; null is "not recorded". */
export function formatShare(share: number | null): string {
  if (share === null) return NOT_RECORDED;
  const percent = share * 100;
  const text = Math.abs(percent) < 9.95 ? formatDecimal(percent) : formatCount(percent);
  return `${text}${NARROW_SPACE}%`;
}

/** Above this share a change is read more easily as a factor. */
const MOST_SHARE = 10;

/** A share as a change: `−11 %`, `+3.2 %`, `×148`; null is "—". */
export function formatChange(share: number | null): string {
  if (share === null) return "—";
  return share > MOST_SHARE ? `×${formatCount(1 + share)}` : formatSigned(share, formatShare);
}

/** `part` of `whole`, or null where there is no whole to take it of. */
export function shareOf(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}

/** `1 site`, `2 sites`. */
export function formatCounted(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}
