// The colors and patterns of the timeline's canvas, from the tokens of the theme.

import type { PixelInk } from "./raster.ts";

export interface Mark {
  ink: PixelInk;
  /** Of a name on it; on a pattern a name needs a plate. */
  text: string;
  /** Drawn with a dashed border: somebody waits. */
  dashed: boolean;
}

export interface Palette {
  surface: string;
  line: string;
  strong: string;
  text: string;
  text3: string;
  accent: string;
  sync: string;
  compute: string;
  font: string;
  ground: PixelInk;
  gray: PixelInk;
  depth: PixelInk;
  /** The part of a GPU that is in use. */
  full: PixelInk;
  dry: PixelInk;
  mark(kind: string): Mark;
  /** Of a cause, where a mark needs one color. */
  plain(kind: string): string;
}

const SIZE = 6;

/** Reads the theme as it is now; patterns are drawn for the pixels of this screen. */
export function readPalette(root: Element, ratio: number): Palette {
  const style = getComputedStyle(root);
  const token = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const marks = new Map<string, Mark>();
  const make = (kind: string): Mark => {
    const { fill, text, dashed = false } = MARKS[kind] ?? UNKNOWN;
    return { ink: fill(token, ratio), text: token(text), dashed };
  };
  return {
    surface: token("surface"),
    line: token("line"),
    strong: token("line-strong"),
    text: token("text"),
    text3: token("text-3"),
    accent: token("accent"),
    sync: token("sync"),
    compute: token("compute"),
    font: `11px ${token("font")}`,
    ground: plain(token("surface")),
    gray: plain(token("line-strong")),
    depth: plain(token("compute-2")),
    full: plain(token("compute")),
    dry: plain(token("sync")),
    mark: (kind) => {
      const known = marks.get(kind) ?? make(kind);
      marks.set(kind, known);
      return known;
    },
    plain: (kind) => token(PLAIN[kind] ?? "unknown"),
  };
}

type Token = (name: string) => string;

interface MarkRule {
  fill: (token: Token, ratio: number) => PixelInk;
  text: string;
  dashed?: boolean;
}

const solid =
  (name: string) =>
  (token: Token): PixelInk =>
    plain(token(name));

const PLAIN: Record<string, string> = {
  sync: "sync",
  data: "input",
  launch: "launch",
  garbage_collection: "launch",
  staging: "launch",
  loading: "launch",
  queued: "queued",
};

const copying = (token: Token, ratio: number): PixelInk => pattern(token("copy"), token("surface"), ratio, diagonal(1.2));
const unknown = (token: Token, ratio: number): PixelInk => pattern(token("surface"), token("unknown"), ratio, cross);

const UNKNOWN: MarkRule = { fill: unknown, text: "text" };

const MARKS: Record<string, MarkRule> = {
  kernel: { fill: solid("compute"), text: "on-mark" },
  communication: { fill: (token, ratio) => pattern(token("comm"), token("surface"), ratio, level), text: "text" },
  exposed: { fill: (token, ratio) => pattern(token("comm"), token("surface"), ratio, level), text: "text" },
  covered: { fill: (token, ratio) => pattern(token("surface"), token("comm"), ratio, level), text: "text" },
  copy: { fill: copying, text: "text" },
  memset: { fill: solid("compute-2"), text: "on-mark2" },
  step: { fill: solid("surface-3"), text: "text" },
  label: { fill: solid("compute"), text: "on-mark" },
  frame: { fill: solid("surface-3"), text: "text" },
  op: { fill: solid("compute-2"), text: "on-mark2" },
  call: { fill: solid("compute-2"), text: "on-mark2" },
  wait: { fill: solid("surface-2"), text: "text", dashed: true },
  other: { fill: solid("surface-3"), text: "text" },
  blocking: { fill: solid("surface-2"), text: "text", dashed: true },
  free: { fill: copying, text: "text" },
  sync: { fill: solid("sync"), text: "on-mark" },
  data: { fill: (token, ratio) => pattern(token("input"), token("surface"), ratio, dots), text: "on-mark" },
  launch: { fill: (token, ratio) => pattern(token("launch"), token("surface"), ratio, upright), text: "text" },
  garbage_collection: { fill: (token, ratio) => pattern(token("launch"), token("surface"), ratio, diagonal(1.2)), text: "text" },
  staging: { fill: (token, ratio) => pattern(token("launch"), token("surface"), ratio, level), text: "text" },
  loading: { fill: (token, ratio) => pattern(token("launch"), token("surface"), ratio, cross), text: "text" },
  queued: { fill: (token, ratio) => pattern(token("surface"), token("queued"), ratio, diagonal(1)), text: "text" },
};

type Strokes = (context: CanvasRenderingContext2D) => void;

function plain(color: string): PixelInk {
  return pixelsOf(1, (context) => {
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
  });
}

function pattern(ground: string, ink: string, ratio: number, strokes: Strokes): PixelInk {
  const size = Math.round(SIZE * ratio);
  return pixelsOf(size, (context) => {
    context.scale(size / SIZE, size / SIZE);
    context.fillStyle = ground;
    context.fillRect(0, 0, SIZE, SIZE);
    context.strokeStyle = context.fillStyle = ink;
    strokes(context);
  });
}

/** What is drawn on a square of so many pixels. */
function pixelsOf(size: number, draw: Strokes): PixelInk {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null) return { size: 1, pixels: new Uint32Array(1) };
  draw(context);
  return { size, pixels: new Uint32Array(context.getImageData(0, 0, size, size).data.buffer) };
}

const diagonal =
  (width: number): Strokes =>
  (context) => {
    context.lineWidth = width;
    line(context, -1, SIZE - 5, SIZE - 1, SIZE * 2 - 5);
    line(context, -1, -1, SIZE + 1, SIZE + 1);
    line(context, 1, -5, SIZE + 5, SIZE - 1);
  };

const level: Strokes = (context) => {
  context.lineWidth = 1.5;
  line(context, 0, SIZE / 2, SIZE, SIZE / 2);
};

const upright: Strokes = (context) => {
  context.lineWidth = 1;
  line(context, 1.5, 0, 1.5, SIZE);
  line(context, 4.5, 0, 4.5, SIZE);
};

const cross: Strokes = (context) => {
  context.lineWidth = 1;
  line(context, 0, 0, SIZE, SIZE);
  line(context, SIZE, 0, 0, SIZE);
};

const dots: Strokes = (context) => {
  for (const [x, y] of [
    [1.5, 1.5],
    [4.5, 4.5],
  ] as const) {
    context.beginPath();
    context.arc(x, y, 0.9, 0, 7);
    context.fill();
  }
};

function line(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}
