import type { ComponentChildren } from "preact";

interface CardProps {
  /** Of its title; unique on the screen. */
  id: string;
  title: string;
  /** Quiet, beside the title. */
  about?: string;
  /** At the right of the title. */
  aside?: ComponentChildren;
  children: ComponentChildren;
}

/** A titled box of a page. */
export function Card({ id, title, about = "", aside = null, children }: CardProps) {
  return (
    <section class="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {about !== "" && <span class="sub">{about}</span>}
        {aside !== null && <span class="right row s12 t3">{aside}</span>}
      </header>
      {children}
    </section>
  );
}
