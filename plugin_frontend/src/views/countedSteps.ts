import type { WindowView } from "../api/types.ts";
import { formatCounted } from "../format/number.ts";

/** What figures of a whole step are a mean of. */
export function countedSteps(window: WindowView, { steps, marks_steps: marksSteps }: { steps: number; marks_steps: boolean }): string {
  if (!marksSteps) return "Of the window";
  const without = window.steps.some((step) => step.cold) ? ", without the cold one" : "";
  return `Mean of ${formatCounted(steps, "step")}${without}`;
}
