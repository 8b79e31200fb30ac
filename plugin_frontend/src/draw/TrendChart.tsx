import type { Fill } from "./causes.ts";

export interface TrendColumn {
  /** What the column says on hover. */
  text: string;
  parts: readonly { length: number; fill: Fill }[];
  isCurrent: boolean;
}

export interface TrendChartProps {
  columns: readonly TrendColumn[];
  label: string;
  /** The length that fills the height. */
  most: number;
}

const HEIGHT = 72;
const MOST_WIDTH = 24;

/** A column a window, oldest at the left; the one that is shown elsewhere stands on a line. */
export function TrendChart({ columns, label, most }: TrendChartProps) {
  const pitch = 100 / Math.max(columns.length, 1);
  return (
    <svg class="trend" width="100%" height={HEIGHT + 4} role="img" aria-label={label}>
      <rect x="0" y={HEIGHT - 0.5} width="100%" height="1" class="f-text" opacity="0.3" />
      {columns.map((column, at) => (
        <svg key={at} x={`${at * pitch}%`} width={`${pitch}%`} height={HEIGHT + 4} overflow="visible">
          <title>{column.text}</title>
          <Column column={column} most={most} />
        </svg>
      ))}
    </svg>
  );
}

function Column({ column, most }: { column: TrendColumn; most: number }) {
  let top = HEIGHT;
  return (
    <svg width="80%" style={{ maxWidth: `${MOST_WIDTH}px` }} height={HEIGHT + 4}>
      {column.parts.map(({ length, fill }, at) => {
        const height = most > 0 ? (length / most) * HEIGHT : 0;
        top -= height;
        return <rect key={at} y={top} width="100%" height={height} {...fill} />;
      })}
      {column.isCurrent && <rect y={HEIGHT + 1} width="100%" height="3" class="f-acc" />}
    </svg>
  );
}
