import type { ComponentChildren } from "preact";
import { Icon } from "../../widgets/Icon.tsx";

/** For views that need the trace itself, and say what for. */
export function GoneTrace({ children }: { children: ComponentChildren }) {
  return (
    <main tabIndex={0}>
      <div class="page narrow">
        <section class="note" aria-labelledby="gone">
          <Icon name="info" />
          <div>
            <h1 id="gone">The trace of this window is not here any more</h1>
            {children}
          </div>
        </section>
      </div>
    </main>
  );
}
