import { useRef, useState } from "preact/hooks";
import type { MemoryLine, MemoryMoment, MemoryView } from "../../api/types.ts";
import { CURVE_HEIGHT, MemoryCurve } from "../../draw/charts/MemoryCurve.tsx";
import { RangeAxis } from "../../draw/charts/RangeAxis.tsx";
import { formatDuration } from "../../format/duration.ts";
import { formatSize } from "../../format/size.ts";
import { valueAt } from "../../model/charts/memoryCurve.ts";
import { chooseMoment, showPart, zoomAround } from "../../state/memory/memory.ts";
import { useWidth } from "../../widgets/useWidth.ts";

/** A press that moves less than this is a click. */
const CLICK_PX = 3;
const NS_PER_US = 1000;

interface DrawingProps {
  shown: MemoryView;
  line: MemoryLine;
  moment: MemoryMoment;
}

/** The curve: a click or the arrows choose a moment, a drag a part, Ctrl and the wheel zoom. */
export function MemoryDrawing({ shown, line, moment }: DrawingProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(() => frame.current);
  const pressed = useRef<number | null>(null);
  const [marked, setMarked] = useState<{ from: number; to: number } | null>(null);
  const [hoveredNs, setHovered] = useState<number | null>(null);
  const device = shown.devices.find((one) => one.device === shown.device);
  const nsAt = (x: number): number => line.from_ns + (Math.min(Math.max(x, 0), width) / Math.max(width, 1)) * (line.to_ns - line.from_ns);
  const move = (x: number): void => {
    setHovered(nsAt(x));
    const from = pressed.current;
    setMarked(from === null || Math.abs(x - from) < CLICK_PX ? null : { from: Math.min(from, x), to: Math.max(from, x) });
  };
  const release = (x: number): void => {
    const from = pressed.current;
    pressed.current = null;
    setMarked(null);
    if (from === null) return;
    if (Math.abs(x - from) < CLICK_PX) chooseMoment(nsAt(x));
    else showPart({ fromNs: nsAt(Math.min(from, x)), toNs: nsAt(Math.max(from, x)) });
  };
  return (
    <div class="memory-drawing">
      <div
        ref={frame}
        class="curve-frame"
        style={{ height: `${CURVE_HEIGHT}px` }}
        role="slider"
        tabIndex={0}
        aria-label={`Moment of the memory of ${shown.device}`}
        aria-valuemin={0}
        aria-valuemax={Math.round(shown.span_ns / NS_PER_US)}
        aria-valuenow={Math.round(moment.at_ns / NS_PER_US)}
        aria-valuetext={aboutMoment(moment)}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          pressed.current = event.offsetX;
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => move(event.offsetX)}
        onPointerUp={(event) => release(event.offsetX)}
        onPointerLeave={() => setHovered(null)}
        onWheel={(event) => {
          if (!event.ctrlKey) return;
          event.preventDefault();
          zoomAround(2 ** (event.deltaY / 200), nsAt(event.offsetX));
        }}
        onKeyDown={(event) => keyed(event, line, moment)}
      >
        {width > 0 && <MemoryCurve line={line} steps={shown.steps} width={width} momentNs={moment.at_ns} peakNs={device?.peak_ns ?? -1} marked={marked} />}
      </div>
      {width > 0 && <RangeAxis range={{ from: line.from_ns / NS_PER_US, to: line.to_ns / NS_PER_US }} width={width} />}
      <p class="s12 t2 memory-status">{hoveredNs === null ? "Click for what is there at a moment, drag to look closer." : aboutValue(line, hoveredNs)}</p>
    </div>
  );
}

/** From one change of the curve to the next one. */
function keyed(event: KeyboardEvent, line: MemoryLine, moment: MemoryMoment): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (event.key === "Home") chooseMoment(null);
  else if (step !== undefined) chooseMoment(line.at_ns[Math.min(Math.max(valueAt(line, moment.at_ns) + step, 0), line.at_ns.length - 1)] ?? null);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function aboutMoment({ at_ns, allocated_bytes, is_peak }: MemoryMoment): string {
  return `${is_peak ? "the peak, " : ""}at ${formatDuration(at_ns / NS_PER_US)}: ${formatSize(allocated_bytes)} allocated`;
}

function aboutValue(line: MemoryLine, ns: number): string {
  const at = valueAt(line, ns);
  const [low, high] = [line.low_bytes[at] ?? 0, line.high_bytes[at] ?? 0];
  const allocated = low === high ? formatSize(high) : `${formatSize(low)} to ${formatSize(high)}`;
  const reserved = line.reserved_bytes === null ? "" : `, ${formatSize(line.reserved_bytes[at] ?? 0)} reserved`;
  return `at ${formatDuration(ns / NS_PER_US)}: ${allocated} allocated${reserved}`;
}
