import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import { useLayoutEffect, useMemo, useReducer } from "preact/hooks";

/** Rows above and below those in sight. */
const OVERSCAN = 8;

interface VirtualRows {
  count: number;
  /** Expected height; rows are measured once they are drawn. */
  rowHeight: (row: number) => number;
  scroller: () => HTMLElement | null;
  /** How far below the scroller's top the first row starts. */
  offset: number;
}

/** Draws again whenever other rows come into sight. */
export function useVirtualRows({ count, rowHeight, scroller, offset }: VirtualRows): Virtualizer<HTMLElement, HTMLElement> {
  const [, redraw] = useReducer((times: number) => times + 1, 0);
  const options = {
    count,
    estimateSize: rowHeight,
    getScrollElement: scroller,
    scrollMargin: offset,
    overscan: OVERSCAN,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw(undefined),
  };
  const virtualizer = useMemo(() => new Virtualizer<HTMLElement, HTMLElement>(options), []);
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}
