import { useEffect, useRef } from "preact/hooks";
import type { TimelineView } from "../../api/types.ts";
import { paintMinimap } from "../../draw/timeline/paintMinimap.ts";
import { formatCounted } from "../../format/number.ts";
import { tileAt, tilesVersion, want } from "../../state/timeline/tiles.ts";
import { stepIndex } from "../../state/timeline/timeline.ts";
import { moveTo, range } from "../../state/timeline/timelineRange.ts";
import { palette } from "./palette.ts";
import { stepLabel, stepName } from "./stepName.ts";
import { fitCanvas, useCanvasSize } from "./useCanvas.ts";

const HEIGHT = 34;

/** The whole window; a press or a drag moves what is seen below. */
export function MinimapStrip({ timeline }: { timeline: TimelineView }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width } = useCanvasSize(canvas);
  const whole = { level: timeline.highest_level, number: 0 };
  const seen = range.value;
  const [version, colors] = [tilesVersion.value, palette.value];
  useEffect(() => want([whole]), [timeline]);
  useEffect(() => {
    const context = canvas.current === null ? null : fitCanvas(canvas.current, width, HEIGHT);
    if (context === null || seen === null) return;
    const idleLane = timeline.lanes.findIndex((lane) => lane.kind === "idle" && lane.device === timeline.main_device);
    paintMinimap(context, {
      palette: colors,
      width,
      height: HEIGHT,
      spanNs: timeline.span_ns,
      kinds: timeline.kinds,
      steps: timeline.steps.map((mark) => ({ mark, label: stepLabel(mark.name, mark.cold) })),
      tile: tileAt(whole),
      idleLane: idleLane < 0 ? null : idleLane,
      range: seen,
    });
  }, [width, seen, version, colors]);
  const move = (event: PointerEvent): void => {
    if (event.buttons === 1 && canvas.current !== null) moveTo((event.offsetX / Math.max(canvas.current.clientWidth, 1)) * timeline.span_ns);
  };
  const name = stepName(timeline.steps[stepIndex.value]?.name ?? "");
  const label = `Whole window, ${formatCounted(timeline.steps.length, "step")}; looked at: ${name}`;
  return (
    <div class="minimap">
      <canvas ref={canvas} role="img" aria-label={label} onPointerDown={move} onPointerMove={move} />
    </div>
  );
}
