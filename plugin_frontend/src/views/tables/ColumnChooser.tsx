import type { TableView } from "../../api/types.ts";
import { adjust, place } from "../../state/place.ts";
import { Icon } from "../../widgets/Icon.tsx";
import { usePopup } from "../../widgets/picker/usePopup.ts";

/** Which columns are shown; the choice is part of the link. */
export function ColumnChooser({ view }: { view: TableView }) {
  const { isOpen, setOpen, root, button, onKeyDown } = usePopup();
  return (
    <div class="picker" ref={root} onKeyDown={onKeyDown}>
      <button class="btn sm" type="button" ref={button} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Columns
        <Icon name="down" />
      </button>
      {isOpen && <Choices view={view} />}
    </div>
  );
}

/** The first column says what a row is: it stays. */
function Choices({ view }: { view: TableView }) {
  const [, ...choices] = view.columns;
  const shown = new Set(place.value.columns ?? view.columns.filter((column) => column.is_first).map(({ key }) => key));
  const toggle = (key: string): void => {
    const next = choices.filter((column) => (column.key === key ? !shown.has(key) : shown.has(column.key)));
    adjust({ columns: next.map((column) => column.key) });
  };
  return (
    <fieldset class="popup choices">
      <legend class="sr">Columns</legend>
      {choices.map((column) => (
        <label key={column.key}>
          <input type="checkbox" checked={shown.has(column.key)} onChange={() => toggle(column.key)} />
          <span>
            {column.head}
            {column.about !== "" && <span class="t3 s12"> {column.about}</span>}
          </span>
        </label>
      ))}
      <button class="btn sm" type="button" disabled={place.value.columns === null} onClick={() => adjust({ columns: null })}>
        As at first
      </button>
    </fieldset>
  );
}
