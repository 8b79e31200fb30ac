import { formatCount } from "../../format/number.ts";

const RECORDED = /^ProfilerStep#(\d{1,15})$/;

/** `Step 1,123`; a window without steps is one. */
export function stepName(name: string): string {
  const number = RECORDED.exec(name)?.[1];
  return number === undefined ? "Whole window" : `Step ${formatCount(Number(number))}`;
}

/** What is looked at, in a sentence. */
export function scopeName(step: { name: string } | undefined): "step" | "window" {
  return step?.name === "window" ? "window" : "step";
}

/** `1,123`, for a strip with many. */
export function stepLabel(name: string, cold: boolean): string {
  const number = RECORDED.exec(name)?.[1];
  return number === undefined ? "" : `${formatCount(Number(number))}${cold ? " cold" : ""}`;
}
