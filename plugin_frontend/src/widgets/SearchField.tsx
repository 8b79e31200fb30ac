import { Icon } from "./Icon.tsx";

interface SearchFieldProps {
  /** For who can't see the placeholder. */
  label: string;
  placeholder: string;
  value?: string;
  maxLength?: number;
  /** What came of it, in the field; null where it stands elsewhere. */
  found?: string | null;
  onInput: (text: string) => void;
  onEnter?: (text: string, isBackwards: boolean) => void;
}

/** The field of a page for what is looked for; the key `/` leads to it. */
export function SearchField({ label, placeholder, value, maxLength, found = null, onInput, onEnter }: SearchFieldProps) {
  return (
    <label class={`field ${found === null ? "filter" : "search"}`}>
      <Icon name="search" />
      <span class="sr">{label}</span>
      <input
        id="filter"
        placeholder={placeholder}
        maxLength={maxLength}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") onEnter?.(event.currentTarget.value, event.shiftKey);
        }}
      />
      {found === null ? (
        <span class="kbd" aria-hidden="true">
          /
        </span>
      ) : (
        <span class="s12 t3 nw" role="status">
          {found}
        </span>
      )}
    </label>
  );
}
