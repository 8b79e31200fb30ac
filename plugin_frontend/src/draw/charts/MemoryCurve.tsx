import type { MemoryLine, MemoryStep } from "../../api/types.ts";
import { formatSize } from "../../format/size.ts";
import { ticksBetween } from "../../model/charts/axis.ts";
import { areaPath, type CurveScale, mostOf, stepPath, xOf, yOf } from "../../model/charts/memoryCurve.ts";

export const CURVE_HEIGHT = 190;
/** Figures above that would stand among the names. */
const HIGHEST_TICK = 0.85;
/** Below that a step's name is not written. */
const NAME_WIDTH = 96;

interface MemoryCurveProps {
  line: MemoryLine;
  steps: readonly MemoryStep[];
  width: number;
  /** The moment that is looked at. */
  momentNs: number;
  peakNs: number;
  /** A stretch that is being marked, in px. */
  marked: { from: number; to: number } | null;
}

/** What is allocated as an area, what is reserved as a line above it; steps begin at dotted lines. */
export function MemoryCurve({ line, steps, width, momentNs, peakNs, marked }: MemoryCurveProps) {
  const scale: CurveScale = { width, height: CURVE_HEIGHT, mostBytes: mostOf(line) };
  const isInside = (ns: number): boolean => ns >= line.from_ns && ns <= line.to_ns;
  return (
    <svg width={width} height={CURVE_HEIGHT} aria-hidden="true" class="memory-curve">
      {ticksBetween(0, scale.mostBytes * HIGHEST_TICK, scale.mostBytes)
        .slice(1)
        .map((tick) => (
          <path key={tick} d={`M0 ${yOf(tick, scale)}H${width}`} class="st-line" />
        ))}
      <path d={areaPath(line, line.high_bytes, scale)} class="f-compute2" />
      <path d={areaPath(line, line.low_bytes, scale)} class="f-compute" />
      {line.reserved_bytes !== null && <path d={stepPath(line, line.reserved_bytes, scale)} class="nofill reserved" />}
      <StepMarks line={line} steps={steps} scale={scale} />
      {ticksBetween(0, scale.mostBytes * HIGHEST_TICK, scale.mostBytes)
        .slice(1)
        .map((tick) => (
          <text key={tick} x="4" y={yOf(tick, scale) - 3} class="tx3 over">
            {formatSize(tick)}
          </text>
        ))}
      {isInside(peakNs) && <Peak x={xOf(line, peakNs, scale)} width={width} />}
      {isInside(momentNs) && <path d={`M${xOf(line, momentNs, scale)} 0V${CURVE_HEIGHT}`} class="moment" />}
      {marked !== null && <rect x={marked.from} width={Math.max(marked.to - marked.from, 1)} height={CURVE_HEIGHT} class="marked" />}
    </svg>
  );
}

function StepMarks({ line, steps, scale }: { line: MemoryLine; steps: readonly MemoryStep[]; scale: CurveScale }) {
  return (
    <>
      {steps
        .filter((step) => step.end_ns > line.from_ns && step.start_ns < line.to_ns)
        .map((step) => {
          const [from, to] = [xOf(line, step.start_ns, scale), xOf(line, step.end_ns, scale)];
          return (
            <g key={step.start_ns}>
              {step.start_ns >= line.from_ns && <path d={`M${from} 0V${CURVE_HEIGHT}`} class="step-mark" />}
              {to - from > NAME_WIDTH && (
                <text x={from + 5} y="12" class="tx3 over">
                  {step.name}
                </text>
              )}
            </g>
          );
        })}
    </>
  );
}

/** A mark above the curve where most is allocated. */
function Peak({ x, width }: { x: number; width: number }) {
  const isRight = x > width - 50;
  return (
    <>
      <path d={`M${x - 5} 0H${x + 5}L${x} 8Z`} class="f-text" />
      <text x={isRight ? x - 9 : x + 9} y="24" text-anchor={isRight ? "end" : "start"} class="tx3 over">
        peak
      </text>
    </>
  );
}
