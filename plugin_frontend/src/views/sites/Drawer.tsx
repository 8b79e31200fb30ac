import type { ComponentChildren } from "preact";
import { closeDrawer } from "../../state/sites/sites.ts";
import { Icon } from "../../widgets/Icon.tsx";

/** The pane at the right: a title, a way out, and what it holds. */
export function Drawer({ title, children }: { title: ComponentChildren; children: ComponentChildren }) {
  return (
    <aside class="pane drawer" aria-labelledby="drawer-title" tabIndex={0}>
      <div class="in">
        <div class="row">
          <h2 id="drawer-title" class="grow anywhere">
            {title}
          </h2>
          <button class="btn q ico-only" type="button" aria-label="Close" onClick={closeDrawer}>
            <Icon name="close" />
          </button>
        </div>
        {children}
      </div>
    </aside>
  );
}
