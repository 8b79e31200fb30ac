import { useEffect, useState } from "preact/hooks";

/** So many rows at a time come and go: a scroll event draws nothing until it has passed them. */
const STRIDE = 8;
/** Rows above and below those in sight, of which a stride may be used up. */
const AROUND = 3 * STRIDE;

interface EqualRows {
  count: number;
  /** In CSS px, the same of all. */
  height: number;
  scroller: () => HTMLElement | null;
  /** How far below the scroller's top the first row starts. */
  offset: number;
}

/** The first row to draw and the one after the last: of rows that are equally high, however many there are. */
export function useEqualRows({ count, height, scroller, offset }: EqualRows): { first: number; end: number } {
  const [stride, setStride] = useState(0);
  const [visible, setVisible] = useState(0);
  useEffect(() => {
    const pane = scroller();
    if (pane === null) return;
    const look = (): void => {
      setStride(Math.max(Math.floor((pane.scrollTop - offset) / (height * STRIDE)), 0));
      setVisible(Math.ceil(pane.clientHeight / height));
    };
    const observer = new ResizeObserver(look);
    observer.observe(pane);
    pane.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      observer.disconnect();
      pane.removeEventListener("scroll", look);
    };
  }, [offset, height]);
  const first = Math.min(Math.max(stride * STRIDE - AROUND, 0), Math.max(count - visible, 0));
  return { first, end: Math.min(stride * STRIDE + STRIDE + visible + AROUND, count) };
}
