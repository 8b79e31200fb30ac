import type { ComponentChildren } from "preact";
import { NumberHead } from "./NumberHead.tsx";
import { InlineText } from "./Prose.tsx";

interface ActionTableProps {
  /** The id of the title above it. */
  labeledBy: string;
  /** The head of what each saves. */
  saves: string;
  /** A prediction knows no times: how often the line runs stands where the bounds of the saving do. */
  isPredicted?: boolean;
  children: ComponentChildren;
}

/** What to change, in the order to work in. */
export function ActionTable({ labeledBy, saves, isPredicted = false, children }: ActionTableProps) {
  return (
    <table class={isPredicted ? "actions predicted" : "actions"} aria-labelledby={labeledBy}>
      <thead>
        <tr>
          <th scope="col">
            <span class="sr">Order</span>
          </th>
          <th scope="col">Action</th>
          <th scope="col">{saves}</th>
          {isPredicted ? <NumberHead>Calls</NumberHead> : <th scope="col">Floor, estimate, ceiling</th>}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

interface ActionCellsProps {
  number: number;
  title: string;
  /** Opens what is known of it; without it the title is no button. */
  onOpen?: () => void;
  /** Where, and how. */
  children: ComponentChildren;
}

/** The first cells of a row: its number in the order, and what to change. */
export function ActionCells({ number, title, onOpen, children }: ActionCellsProps) {
  return (
    <>
      <td>
        <span class="disc">{number}</span>
      </td>
      <td>
        <div class="b anywhere">
          {onOpen === undefined ? (
            <InlineText text={title} />
          ) : (
            <button class="title-button" type="button" onClick={onOpen}>
              <InlineText text={title} />
            </button>
          )}
        </div>
        {children}
      </td>
    </>
  );
}
