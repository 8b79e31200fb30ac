import type { WindowView } from "../../api/types.ts";
import { Drawer } from "./Drawer.tsx";
import { EnvironmentList, NotCheckedList, TrustList } from "./HealthParts.tsx";

/** How far the figures can be trusted: opened by the chip in the bar. */
export function HealthDrawer({ view }: { view: WindowView }) {
  return (
    <Drawer title="Can I trust this?">
      <section aria-labelledby="health">
        <h3 id="health">Trace</h3>
        <TrustList rows={view.overview.trust} />
      </section>
      {view.not_checked.length > 0 && (
        <section aria-labelledby="not-checked">
          <h3 id="not-checked">Not checked</h3>
          <NotCheckedList rows={view.not_checked} />
        </section>
      )}
      {view.environment.length > 0 && (
        <section aria-labelledby="environment">
          <h3 id="environment">Environment</h3>
          <EnvironmentList rows={view.environment} />
        </section>
      )}
    </Drawer>
  );
}
