// What lies over the lanes: numbers of the fix plan, the selection, its gap, its links, a range.

import type { EpisodeMark, SelectionView } from "../../api/types.ts";
import { boxOf } from "../../model/timeline/layout.ts";
import type { Range } from "../../model/timeline/range.ts";
import { type Scene, xOf, yOf } from "./scene.ts";

const DISC_RADIUS = 8;
const DISC_PITCH = 18;

/** The number of each episode's change; of those that would touch, the first. */
export function paintDiscs(
  context: CanvasRenderingContext2D,
  scene: Scene,
  episodes: readonly EpisodeMark[],
  numberOf: (site: number) => number | undefined,
): void {
  const lane = scene.lanes.find((box) => box.row.kind === "episodes");
  const line = lane?.lines[0];
  if (line === undefined) return;
  let last = -Infinity;
  context.textAlign = "center";
  context.font = `600 ${scene.palette.font}`;
  for (const { site, start_ns } of episodes) {
    const [number, x] = [numberOf(site), xOf(scene, start_ns)];
    if (number === undefined || x < -DISC_RADIUS || x > scene.width + DISC_RADIUS || x - last < DISC_PITCH) continue;
    last = x;
    const y = yOf(scene, line.top + line.height / 2);
    context.fillStyle = scene.palette.text;
    context.beginPath();
    context.arc(Math.max(x, DISC_RADIUS), y, DISC_RADIUS, 0, 7);
    context.fill();
    context.fillStyle = scene.palette.surface;
    context.fillText(String(number), Math.max(x, DISC_RADIUS), y + 4);
  }
  context.textAlign = "left";
  context.font = scene.palette.font;
}

/** The gap as a band through all lanes, the selection with a border, an arrow from launch to work. */
export function paintSelection(context: CanvasRenderingContext2D, scene: Scene, selection: SelectionView): void {
  if (selection.gap !== null) {
    band(context, scene, { fromNs: selection.gap.start_ns, toNs: selection.gap.end_ns }, scene.palette.plain(selection.gap.cause));
  }
  for (const link of selection.links) {
    const from = boxOf(scene.lanes, link.from_lane, link.from_line);
    const to = boxOf(scene.lanes, link.to_lane, link.to_line);
    if (from === null || to === null) continue;
    const [x1, y1] = [xOf(scene, link.from_ns), yOf(scene, from.top + (from.top > to.top ? 0 : from.height))];
    const [x2, y2] = [xOf(scene, link.to_ns), yOf(scene, to.top + (from.top > to.top ? to.height : 0))];
    arrow(context, scene.palette.accent, x1, y1, x2, y2);
  }
  const box = selection.kind === "gap" || selection.lane === null ? null : boxOf(scene.lanes, selection.lane, selection.line ?? 0);
  if (box === null) return;
  const left = xOf(scene, selection.start_ns);
  const width = Math.max(xOf(scene, selection.end_ns) - left, 2);
  context.strokeStyle = scene.palette.accent;
  context.lineWidth = 2;
  context.strokeRect(left, yOf(scene, box.top), width, box.height);
  context.lineWidth = 1;
}

/** A stretch of time from the top of the lanes to their end. */
export function band(context: CanvasRenderingContext2D, scene: Scene, range: Range, color: string): void {
  const left = xOf(scene, range.fromNs);
  const width = Math.max(xOf(scene, range.toNs) - left, 1);
  context.fillStyle = color;
  context.globalAlpha = 0.12;
  context.fillRect(left, 0, width, scene.height);
  context.globalAlpha = 1;
  context.fillRect(left - 0.5, 0, 1, scene.height);
  context.fillRect(left + width - 0.5, 0, 1, scene.height);
}

function arrow(context: CanvasRenderingContext2D, color: string, x1: number, y1: number, x2: number, y2: number): void {
  const bend = (y2 - y1) / 2;
  context.strokeStyle = context.fillStyle = color;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x1, y1);
  context.bezierCurveTo(x1, y1 + bend, x2, y2 - bend, x2, y2);
  context.stroke();
  context.lineWidth = 1;
  const back = Math.sign(y1 - y2) * 5;
  context.beginPath();
  context.moveTo(x2, y2);
  context.lineTo(x2 - 3, y2 + back);
  context.lineTo(x2 + 3, y2 + back);
  context.fill();
}
