import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../Icon.tsx";
import { PickerList, type PickerOption } from "./PickerList.tsx";

interface PickerProps {
  label: string;
  /** What is picked now, as the button shows it. */
  value: string;
  selected: string;
  options: readonly PickerOption[];
  onPick: (key: string) => void;
  /** A long value loses its start, as names of runs differ at their end. */
  shrinks?: boolean;
}

/** A button that opens a list to search and pick from; made for thousands of options. */
export function Picker({ label, value, selected, options, onPick, shrinks = false }: PickerProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return;
    const closeOutside = (event: Event): void => {
      if (event.target instanceof Node && root.current?.contains(event.target) !== true) setOpen(false);
    };
    document.addEventListener("pointerdown", closeOutside);
    return () => document.removeEventListener("pointerdown", closeOutside);
  }, [open]);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div class={shrinks ? "picker shrinks" : "picker"} ref={root}>
      <button
        class="pick"
        type="button"
        ref={button}
        aria-haspopup="listbox"
        aria-expanded={open}
        aria-label={`${label} ${value}`}
        title={value}
        disabled={options.length === 0}
        onClick={() => setOpen(!open)}
      >
        <span class="k">{label}</span>
        <span class={shrinks ? "v ell-start" : "v ell"}>
          <bdi dir="ltr">{value}</bdi>
        </span>
        <Icon name="down" />
      </button>
      {open && (
        <PickerList
          label={label}
          selected={selected}
          options={options}
          onClose={close}
          onPick={(key) => {
            close();
            onPick(key);
          }}
        />
      )}
    </div>
  );
}
