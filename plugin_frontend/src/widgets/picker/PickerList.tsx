import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { Icon } from "../Icon.tsx";
import { useVirtualRows } from "../scrolling/useVirtualRows.ts";

const ROW_HEIGHT = 32;
const PAGE_ROWS = 8;

export interface PickerOption {
  key: string;
  text: string;
  /** Quieter, after the text; searched too. */
  detail: string;
}

interface PickerListProps {
  label: string;
  selected: string;
  options: readonly PickerOption[];
  onPick: (key: string) => void;
  onClose: () => void;
}

/** The open list: a search box that keeps the focus, and the rows it leaves. */
export function PickerList({ label, selected, options, onPick, onClose }: PickerListProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const [filter, setFilter] = useState("");
  const found = useMemo(() => filterOptions(options, filter), [options, filter]);
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      options.findIndex((option) => option.key === selected),
    ),
  );
  const rows = useVirtualRows({ count: found.length, rowHeight: () => ROW_HEIGHT, scroller: () => box.current, offset: 0 });
  useEffect(() => search.current?.focus(), []);
  useEffect(() => rows.scrollToIndex(at), [at, found]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const target = keyTarget(event.key, at, found.length);
    if (target !== null) setAt(target);
    else if (event.key === "Enter" && found[at] !== undefined) onPick(found[at].key);
    else if (event.key === "Escape" || event.key === "Tab") onClose();
    else return;
    event.stopPropagation();
    if (event.key !== "Tab") event.preventDefault();
  };

  return (
    <div class="popup" onKeyDown={onKeyDown}>
      <div class="field">
        <Icon name="search" />
        <input
          ref={search}
          role="combobox"
          aria-label={`Find a ${label.toLowerCase()}`}
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={`${id}-list`}
          {...(found.length > 0 && { "aria-activedescendant": `${id}-${at}` })}
          placeholder={`Filter ${options.length.toLocaleString("en-US")}`}
          value={filter}
          onInput={(event) => {
            setFilter(event.currentTarget.value);
            setAt(0);
          }}
        />
      </div>
      <div class="options" ref={box} id={`${id}-list`} role="listbox" aria-label={`${label} list`} tabIndex={-1}>
        <div role="presentation" style={{ height: `${rows.getTotalSize()}px` }} />
        {rows.getVirtualItems().map(({ index, start }) => {
          const option = found[index];
          return option === undefined ? null : (
            <div
              key={option.key}
              id={`${id}-${index}`}
              role="option"
              class={index === at ? "at" : ""}
              aria-selected={option.key === selected}
              aria-setsize={found.length}
              aria-posinset={index + 1}
              title={`${option.text} ${option.detail}`}
              style={{ position: "absolute", top: `${start}px`, left: 0, right: 0 }}
              onClick={() => onPick(option.key)}
            >
              <bdi class="ell lead">{option.text}</bdi>
              <bdi class="ell t3 s12">{option.detail}</bdi>
            </div>
          );
        })}
      </div>
      {found.length === 0 && <p class="s12 t3">Nothing of this name</p>}
    </div>
  );
}

function filterOptions(options: readonly PickerOption[], filter: string): readonly PickerOption[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return options.filter((option) => {
    const text = `${option.text} ${option.detail}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The row a key leads to, or null for a key that does not move. */
function keyTarget(key: string, at: number, count: number): number | null {
  const last = Math.max(0, count - 1);
  const targets: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + PAGE_ROWS,
    PageUp: at - PAGE_ROWS,
  };
  const target = targets[key];
  return target === undefined ? null : Math.min(last, Math.max(0, target));
}
