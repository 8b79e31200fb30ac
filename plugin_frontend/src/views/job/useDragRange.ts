import { useState } from "preact/hooks";
import type { Range } from "../../model/ranks/jobStrips.ts";

interface DragOptions {
  range: Range;
  width: number;
  onRange: (range: Range) => void;
  /** A moment of the axis, and how far down in px. */
  onClick: (at: number, y: number) => void;
}

/** Below this it is a click. */
const LEAST_DRAG_PX = 5;

/** A range that is drawn with the pointer, and clicks. */
export function useDragRange({ range, width, onRange, onClick }: DragOptions) {
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const timeAt = (x: number): number => range.from + (Math.min(Math.max(x, 0), width) / width) * (range.to - range.from);
  const isDrag = drag !== null && Math.abs(drag.to - drag.from) >= LEAST_DRAG_PX;
  const handlers = {
    onPointerDown: (event: PointerEvent & { currentTarget: HTMLElement }) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      const { x } = inside(event);
      setDrag({ from: x, to: x });
    },
    onPointerMove: (event: PointerEvent & { currentTarget: HTMLElement }) => {
      if (drag !== null) setDrag({ ...drag, to: inside(event).x });
    },
    onPointerUp: (event: PointerEvent & { currentTarget: HTMLElement }) => {
      const { x, y } = inside(event);
      if (isDrag && drag !== null) onRange({ from: timeAt(Math.min(drag.from, x)), to: timeAt(Math.max(drag.from, x)) });
      else if (drag !== null) onClick(timeAt(x), y);
      setDrag(null);
    },
    onPointerCancel: () => setDrag(null),
  };
  const marked = isDrag && drag !== null ? { left: Math.min(drag.from, drag.to), width: Math.abs(drag.to - drag.from) } : null;
  return { handlers, marked };
}

function inside(event: PointerEvent & { currentTarget: HTMLElement }): { x: number; y: number } {
  const box = event.currentTarget.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}
