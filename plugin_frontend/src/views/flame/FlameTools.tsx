import type { IcicleView } from "../../api/types.ts";
import { Legend, type LegendEntry } from "../../draw/marks/Legend.tsx";
import { matches, showBy, showsHost, showTime, top, wanted, whole, zoomTo } from "../../state/tree/icicle.ts";
import { InlineText } from "../../widgets/Prose.tsx";
import { SegmentedControl } from "../../widgets/SegmentedControl.tsx";
import { Breadcrumb } from "../../widgets/tree/Breadcrumb.tsx";
import { TimeSwitch } from "../../widgets/tree/TimeSwitch.tsx";
import { TreeSearch } from "../../widgets/tree/TreeSearch.tsx";
import { shortName } from "./names.ts";

const KINDS: Record<IcicleView["kind"], string> = { function: "Function", operator: "Operator", module: "Module", label: "Label" };

const ENTRIES: readonly LegendEntry[] = [
  [{ class: "f-compute" }, "your code"],
  [{ class: "f-compute2" }, "libraries, operators"],
];

/** What it is nested by, whose time, what is looked for, and what was opened. */
export function FlameTools({ shown }: { shown: IcicleView }) {
  const offered = shown.kinds.filter((choice) => choice.missing === "").map(({ kind }) => [kind, KINDS[kind]] as const);
  const missing = shown.kinds.filter((choice) => choice.missing !== "");
  return (
    <>
      <div class="tool">
        <SegmentedControl label="Nested by" options={offered} isChosen={(kind) => kind === shown.kind} onChoose={showBy} />
        {shown.has_device && <TimeSwitch showsHost={showsHost.value} onChoose={showTime} />}
        <TreeSearch value={wanted.value} matches={matches.value} whole={whole.value} onInput={(text) => (wanted.value = text)} />
        {shown.kind === "function" && (
          <span class="right row s12 t3">
            <Legend entries={ENTRIES} />
          </span>
        )}
      </div>
      {missing.length > 0 && (
        <p class="flame-note s12 t3">
          <InlineText text={missing.map((choice) => choice.missing).join(" ")} />
        </p>
      )}
      <Breadcrumb node={top.value} nameOf={shortName} singular="call" onOpen={zoomTo} />
    </>
  );
}
