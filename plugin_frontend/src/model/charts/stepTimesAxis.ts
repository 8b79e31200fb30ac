// The one axis on which the step times of two windows are drawn.

import type { CompareSteps, StepTimes } from "../../api/types.ts";

/** In µs. */
export interface StepAxis {
  low: number;
  high: number;
}

/** Room beside the outermost figure, as a part of what lies between them, so that no mark is cut. */
const MARGIN = 0.06;
/** The same of a single length, of which nothing lies between. */
const ALONE = 0.05;

/** Around every figure of both sides. */
export function stepAxis({ before, after }: CompareSteps): StepAxis {
  const all = [before, after].flatMap(figuresOf);
  const least = Math.min(...all);
  const most = Math.max(...all);
  const margin = most > least ? MARGIN * (most - least) : ALONE * most || 1;
  return { low: Math.max(least - margin, 0), high: most + margin };
}

/** Where a length lies along the axis, from 0 to 1. */
export function alongSteps({ low, high }: StepAxis, length: number): number {
  return (length - low) / (high - low);
}

function figuresOf({ steps_us, middle_us, low_us, high_us }: StepTimes): number[] {
  return [...steps_us, middle_us, low_us ?? middle_us, high_us ?? middle_us];
}
