// A canvas as large as its element, in the pixels of the screen.

import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

interface Size {
  width: number;
  height: number;
}

/** The size of an element in CSS px, kept up to date; 0 while it is hidden. */
export function useCanvasSize(element: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const measured = element.current;
    if (measured === null) return;
    const measure = (): void => setSize({ width: measured.clientWidth, height: measured.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(measured);
    measure();
    return () => observer.disconnect();
  }, []);
  return size;
}

/** Its context, scaled so that one unit is one CSS px; null while there is nothing to draw on. */
export function fitCanvas(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  if (width === 0 || height === 0) return null;
  const ratio = window.devicePixelRatio;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  const context = canvas.getContext("2d", { alpha: false });
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
