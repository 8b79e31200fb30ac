// Windows over the training as points: which figures there are, and where they stand.

import type { SeriesRow, WindowFigures } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatMean, formatShare } from "../../format/number.ts";
import { formatSize } from "../../format/size.ts";

export interface Metric {
  key: string;
  name: string;
  /** Null where it was not recorded. */
  of: (figures: WindowFigures) => number | null;
  format: (value: number) => string;
}

const CAUSE = "idle-";

const FIGURES: readonly Metric[] = [
  { key: "step", name: "Step", of: (figures) => figures.step_us, format: formatDuration },
  { key: "unprofiled", name: "Step without the profiler", of: (figures) => figures.unprofiled_step_us, format: formatDuration },
  { key: "idle", name: "GPU idle", of: (figures) => figures.idle_share, format: formatShare },
  { key: "utilization", name: "GPU utilization", of: (figures) => figures.utilization, format: formatShare },
  { key: "sm-efficiency", name: "Estimated SM efficiency", of: (figures) => figures.sm_efficiency, format: formatShare },
  { key: "occupancy", name: "Estimated occupancy", of: (figures) => figures.occupancy, format: formatShare },
  { key: "communication", name: "Communication nothing covers", of: (figures) => figures.communication_us, format: formatDuration },
  { key: "saving", name: "Removing waits saves", of: (figures) => figures.could_save_us, format: formatDuration },
  { key: "wait", name: "Waits a step", of: (figures) => figures.wait_us, format: formatDuration },
  { key: "syncs", name: "Sync points a step", of: (figures) => figures.sync_points, format: formatMean },
  { key: "upload", name: "Host to GPU a step", of: (figures) => figures.uploaded_bytes, format: formatSize },
  { key: "lag", name: "GPU behind the host by", of: (figures) => figures.gpu_lag_us, format: formatDuration },
];

/** The figures that any window has; the step, and else none that is nothing in all of them. */
export function metricsOf(rows: readonly SeriesRow[]): Metric[] {
  const known = rows.flatMap((row) => row.figures ?? []);
  const causes = new Map(known.flatMap((figures) => figures.causes).map(({ cause, name }) => [cause, name]));
  const idle = [...causes].map(
    ([cause, name]): Metric => ({
      key: `${CAUSE}${cause}`,
      name: `Idle: ${name}`,
      of: (figures) => (figures.idle_share === null ? null : (figures.causes.find((row) => row.cause === cause)?.idle_us ?? 0)),
      format: formatDuration,
    }),
  );
  return [...FIGURES, ...idle].filter(({ key, of }) => key === "step" || known.some((figures) => (of(figures) ?? 0) > 0));
}

/** Those that the list of windows shows: idle by cause only while it is drawn. */
export function listedMetrics(metrics: readonly Metric[], drawn: Metric): Metric[] {
  return metrics.filter((metric) => metric === drawn || !metric.key.startsWith(CAUSE));
}

export interface TrendPoint {
  row: SeriesRow;
  /** Step of the training, or number of the window. */
  x: number;
  value: number;
}

export interface TrendLayout {
  /** What the axis counts. */
  axis: "step" | "window";
  low: number;
  high: number;
  most: number;
  /** One list for each of the series, as they come. */
  series: TrendPoint[][];
}

/** By step of the training where all windows know theirs, else by their place in line. */
export function layOutTrends(series: readonly (readonly SeriesRow[])[], metric: Metric): TrendLayout {
  const known = series.map((rows) => rows.filter((row) => row.figures !== null && metric.of(row.figures) !== null));
  const axis = known.flat().every((row) => row.figures?.first_step != null) ? "step" : "window";
  const points = known.map((rows) =>
    rows.map((row): TrendPoint => {
      const figures = row.figures as WindowFigures;
      return { row, x: axis === "step" ? (figures.first_step ?? 0) : row.number, value: metric.of(figures) ?? 0 };
    }),
  );
  const all = points.flat();
  const xs = all.map((point) => point.x);
  return { axis, low: Math.min(...xs), high: Math.max(...xs), most: Math.max(...all.map((point) => point.value), 0), series: points };
}

/** How far along the axis, 0 to 1; a single place is in the middle. */
export function alongAxis({ low, high }: TrendLayout, x: number): number {
  return high > low ? (x - low) / (high - low) : 0.5;
}
