import type { ComponentChildren } from "preact";

interface SegmentedControlProps<Key extends string> {
  /** What is chosen, for who can't see that the buttons belong together. */
  label: string;
  /** Each with what its button says. */
  options: readonly (readonly [Key, ComponentChildren])[];
  isChosen: (key: Key) => boolean;
  onChoose: (key: Key) => void;
}

/** A row of joined buttons: a choice out of a few, all of them in sight. */
export function SegmentedControl<Key extends string>({ label, options, isChosen, onChoose }: SegmentedControlProps<Key>) {
  return (
    <span class="seg" role="group" aria-label={label}>
      {options.map(([key, text]) => (
        <button key={key} type="button" aria-pressed={isChosen(key)} onClick={() => onChoose(key)}>
          {text}
        </button>
      ))}
    </span>
  );
}
