// One frame: the ruler's lines, the lanes, and what lies over them.

import type { EpisodeMark, SelectionView } from "../../api/types.ts";
import type { Range } from "../../model/timeline/range.ts";
import type { Tile } from "../../model/timeline/tile.ts";
import { paintHeights } from "./paintHeights.ts";
import { type NamedSpan, paintNames } from "./paintNames.ts";
import { band, paintDiscs, paintSelection } from "./paintOverlay.ts";
import { boxesInSight, paintShares, paintSpans } from "./paintTile.ts";
import type { Raster } from "./raster.ts";
import { type Scene, yOf } from "./scene.ts";

interface Overlay {
  episodes: readonly EpisodeMark[];
  numberOf: (site: number) => number | undefined;
  labelOf: (tile: Tile, at: number) => string;
  selection: SelectionView | null;
  dragged: Range | null;
}

/** Draws all of it; returns how many marks that took. */
export function paintFrame(context: CanvasRenderingContext2D, raster: Raster, scene: Scene, overlay: Overlay): number {
  const { palette, width } = scene;
  const boxes = boxesInSight(scene);
  const named: NamedSpan[] = [];
  let drawn = 0;
  raster.clear(palette.ground);
  for (const { tile, piece } of scene.pieces) {
    drawn += paintHeights(raster, scene, tile, piece) + paintShares(raster, scene, tile, piece, boxes);
    drawn += paintSpans(raster, scene, tile, piece, boxes, named);
  }
  raster.commit(context);
  paintNames(context, palette, named, overlay.labelOf);
  context.fillStyle = palette.line;
  for (const lane of scene.lanes) context.fillRect(0, Math.round(yOf(scene, lane.top + lane.height)) - 1, width, 1);
  if (overlay.selection !== null) paintSelection(context, scene, overlay.selection);
  paintDiscs(context, scene, overlay.episodes, overlay.numberOf);
  if (overlay.dragged !== null) band(context, scene, overlay.dragged, palette.accent);
  return drawn;
}
