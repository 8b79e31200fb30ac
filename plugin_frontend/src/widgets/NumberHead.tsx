import type { ComponentChildren } from "preact";

/** The head of a column of figures. */
export function NumberHead({ children }: { children: ComponentChildren }) {
  return (
    <th scope="col" class="num">
      {children}
    </th>
  );
}
