import { useEffect, useRef } from "preact/hooks";
import { type Box, boxBeside, type Direction, fitted } from "../model/tree/icicle.ts";

const ROW_HEIGHT = 22;
/** Of the font of 11 px, with room at both ends. */
const LETTER = 6.7;
const PADDING = 5;

/** How a box stands out: code of one's own, what others wrote, what stands for several. */
type Tone = "own" | "other" | "several";

export interface BoxText {
  /** Written into the box where it fits. */
  name: string;
  /** All that is known of it, for a hover and for a screen reader. */
  about: string;
  tone: Tone;
  isMatch: boolean;
}

interface IcicleProps {
  boxes: readonly Box[];
  text: (box: Box) => BoxText;
  width: number;
  label: string;
  /** Place of the box that the keys stand on. */
  current: number;
  onMove: (at: number) => void;
  /** Of the box under the pointer; null when it leaves. */
  onHover: (at: number | null) => void;
  onOpen: (at: number) => void;
}

const DIRECTIONS: Record<string, Direction> = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };

/** A tree of times, the whole at the top and its parts below it, each as wide as its share. */
export function Icicle({ boxes, text, width, label, current, onMove, onHover, onOpen }: IcicleProps) {
  const drawing = useRef<SVGSVGElement>(null);
  const rows = Math.max(...boxes.map((box) => box.depth), 0) + 1;
  useEffect(() => {
    // The keys moved to it, or opened what it was part of.
    if (drawing.current?.contains(document.activeElement)) drawing.current.querySelector<SVGElement>('[tabindex="0"]')?.focus();
  }, [current, boxes]);
  const press = (event: KeyboardEvent): void => {
    const direction = DIRECTIONS[event.key];
    if (direction !== undefined) onMove(boxBeside(boxes, current, direction));
    else if (event.key === "Enter" || event.key === " ") onOpen(current);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <svg
      class="icicle"
      width={width}
      height={rows * ROW_HEIGHT}
      role="tree"
      aria-label={label}
      ref={drawing}
      onKeyDown={press}
      onPointerLeave={() => onHover(null)}
    >
      {boxes.map((box, at) => (
        <BoxMark key={box.nodes[0]?.index} box={box} text={text(box)} isCurrent={at === current} onHover={() => onHover(at)} onOpen={() => onOpen(at)} />
      ))}
    </svg>
  );
}

interface BoxMarkProps {
  box: Box;
  text: BoxText;
  isCurrent: boolean;
  onHover: () => void;
  onOpen: () => void;
}

function BoxMark({ box: { left, width, depth }, text: { name, about, tone, isMatch }, isCurrent, onHover, onOpen }: BoxMarkProps) {
  const written = fitted(name, width - 2 * PADDING, LETTER);
  return (
    <g
      class={isMatch ? `box ${tone} match` : `box ${tone}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-label={about}
      aria-selected={isCurrent}
      tabIndex={isCurrent ? 0 : -1}
      onPointerEnter={onHover}
      onFocus={onHover}
      onClick={onOpen}
    >
      <rect x={left + 0.5} y={depth * ROW_HEIGHT + 0.5} width={Math.max(width - 1, 1)} height={ROW_HEIGHT - 2} />
      {written !== "" && (
        // Letters of other scripts are wider: a drawing of its own cuts off what does not fit.
        <svg x={left} y={depth * ROW_HEIGHT} width={width - PADDING} height={ROW_HEIGHT}>
          <text class="name" x={PADDING} y="15">
            {written}
          </text>
        </svg>
      )}
    </g>
  );
}
