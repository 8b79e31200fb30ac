// What is written on spans, and the dashed borders of those that wait.

import type { LineBox } from "../../model/timeline/layout.ts";
import type { Tile } from "../../model/timeline/tile.ts";
import type { Mark, Palette } from "./palette.ts";

const INSET = 4;
/** Fewer letters than this are no name. */
const LEAST_LETTERS = 3;
const LEAST_HEIGHT = 12;

/** A span with room for more than its color. */
export interface NamedSpan {
  tile: Tile;
  /** Its position in the tile. */
  at: number;
  mark: Mark;
  box: LineBox;
  left: number;
  right: number;
  /** Whether its ends are seen; a tile's edge may cut it. */
  begins: boolean;
  ends: boolean;
  /** Whether it is the first part of it that is seen: that one bears the name. */
  isFirst: boolean;
}

export function paintNames(
  context: CanvasRenderingContext2D,
  palette: Palette,
  spans: readonly NamedSpan[],
  labelOf: (tile: Tile, at: number) => string,
): void {
  context.font = palette.font;
  context.strokeStyle = palette.strong;
  context.setLineDash([3, 2]);
  for (const span of spans) if (span.mark.dashed) dash(context, span);
  context.setLineDash([]);
  for (const span of spans) if (span.isFirst && span.box.height >= LEAST_HEIGHT) paintName(context, palette, span, labelOf(span.tile, span.at));
}

function dash(context: CanvasRenderingContext2D, { box, left, right, begins, ends }: NamedSpan): void {
  const [top, bottom] = [box.top + 0.5, box.top + box.height - 0.5];
  context.beginPath();
  context.moveTo(left, top);
  context.lineTo(right, top);
  context.moveTo(left, bottom);
  context.lineTo(right, bottom);
  for (const [there, x] of [
    [begins, left + 0.5],
    [ends, right - 0.5],
  ] as const) {
    if (!there) continue;
    context.moveTo(x, top);
    context.lineTo(x, bottom);
  }
  context.stroke();
}

/** On a pattern a name stands on a plate, so that it can be read. */
function paintName(context: CanvasRenderingContext2D, palette: Palette, { mark, box, left, right }: NamedSpan, name: string): void {
  const text = shorten(context, name, right - left - 2 * INSET);
  if (text === "") return;
  const [x, middle] = [left + INSET, box.top + box.height / 2];
  const isPattern = mark.ink.size > 1;
  if (isPattern) {
    context.fillStyle = palette.surface;
    context.fillRect(x - 2, middle - 8, context.measureText(text).width + 4, 16);
  }
  context.fillStyle = isPattern ? palette.text : mark.text;
  context.fillText(text, x, middle + 4);
}

/** As much of a name as fits; nothing rather than a lone letter. */
function shorten(context: CanvasRenderingContext2D, text: string, room: number): string {
  const needed = context.measureText(text).width;
  if (needed <= room) return text;
  const letters = Math.floor((text.length * room) / needed) - 2;
  return letters < LEAST_LETTERS ? "" : `${text.slice(0, letters)}…`;
}
