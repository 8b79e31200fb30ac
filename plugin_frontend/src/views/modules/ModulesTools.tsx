import type { ModulesView } from "../../api/types.ts";
import { adjust, place } from "../../state/place.ts";
import { matches, showsHost, showTime, top, zoomTo } from "../../state/tree/modules.ts";
import { Breadcrumb } from "../../widgets/tree/Breadcrumb.tsx";
import { TimeSwitch } from "../../widgets/tree/TimeSwitch.tsx";
import { TreeSearch } from "../../widgets/tree/TreeSearch.tsx";

/** Whose time, what is looked for, and what was opened. */
export function ModulesTools({ shown }: { shown: ModulesView }) {
  return (
    <>
      <div class="tool">
        {shown.has_device && <TimeSwitch showsHost={showsHost.value} onChoose={showTime} />}
        <TreeSearch value={place.value.filter} matches={matches.value} whole={top.value?.value ?? 0} onInput={(filter) => adjust({ filter })} />
      </div>
      <Breadcrumb node={top.value} nameOf={(node) => node.name} singular="module" onOpen={(node) => zoomTo(node.index)} />
    </>
  );
}
