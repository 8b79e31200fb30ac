import { useLayoutEffect, useState } from "preact/hooks";

/** The width of an element in CSS px, kept up to date; 0 until it is known. */
export function useWidth(element: () => HTMLElement | null): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const measured = element();
    if (measured === null) return;
    const observer = new ResizeObserver(() => setWidth(measured.clientWidth));
    observer.observe(measured);
    setWidth(measured.clientWidth);
    return () => observer.disconnect();
  }, []);
  return width;
}
