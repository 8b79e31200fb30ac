import { useLayoutEffect, useState } from "preact/hooks";

export type TableReference = { current: HTMLTableElement | null };

/** How far below the pane's top the first row starts; what is above it can change its height. */
export function useRowsOffset(table: TableReference, pane: () => HTMLElement | null): number {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const body = table.current?.tBodies[0];
    const scroller = pane();
    if (body === undefined || scroller === null) return;
    const measure = (): void => {
      setOffset(body.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop);
    };
    const observer = new ResizeObserver(measure);
    for (const child of scroller.children) observer.observe(child);
    observer.observe(scroller);
    measure();
    return () => observer.disconnect();
  }, []);
  return offset;
}
