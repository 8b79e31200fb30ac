import type { ModuleNode, ModulesView } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatMean, formatShare, shareOf } from "../../format/number.ts";
import { visit } from "../../state/place.ts";
import { zoomTo } from "../../state/tree/modules.ts";
import { RowParts } from "../../widgets/RowParts.tsx";
import { Drawer } from "../sites/Drawer.tsx";

/** One module: its figures, its spread among equal layers, its own kernels, and where it is called. */
export function ModuleDrawer({ node, shown }: { node: ModuleNode; shown: ModulesView }) {
  return (
    <Drawer title={<bdi class="mono">{node.name === "" ? "All" : node.name}</bdi>}>
      <Figures node={node} shown={shown} />
      <RowParts
        id="module-kernels"
        title="Kernels of its own"
        parts={node.kernels}
        onOpen={(kernel) => visit({ view: "kernels", filter: kernel.short_name })}
      />
      {node.source !== null && (
        <section aria-labelledby="module-source">
          <h3 id="module-source">Called in</h3>
          <p class="mono s12 anywhere">
            <bdi>{node.source}</bdi>
          </p>
        </section>
      )}
      <p class="row">
        <button class="btn sm" type="button" onClick={() => zoomTo(shown.nodes.indexOf(node))}>
          Open in the drawing
        </button>
        <button class="btn sm" type="button" onClick={() => visit({ view: "operators", by: "module", filter: node.class_name, row: null })}>
          Operators by module
        </button>
      </p>
    </Drawer>
  );
}

function Figures({ node, shown }: { node: ModuleNode; shown: ModulesView }) {
  const { equal } = node;
  const [all] = shown.nodes;
  const figures: [string, string][] = [
    ["Class", node.class_name || "—"],
    ["Calls", formatMean(node.calls)],
    ...(shown.has_device
      ? ([
          ["GPU", `${formatDuration(node.device_us)}, ${formatShare(shareOf(node.device_us ?? 0, all?.device_us ?? 0))}`],
          ["GPU forward", formatDuration(node.device_forward_us)],
          ["GPU backward", formatDuration(node.device_backward_us)],
          ["GPU, itself", formatDuration(node.device_own_us)],
        ] as [string, string][])
      : []),
    ["Host", `${formatDuration(node.host_us)}, ${formatShare(shareOf(node.host_us, all?.host_us ?? 0))}`],
    ["Host forward", formatDuration(node.host_forward_us)],
    ["Host backward", formatDuration(node.host_backward_us)],
    ["Launches", node.launches === null ? "—" : formatMean(node.launches)],
    ["GPU idle while inside", formatDuration(node.idle_us)],
    ["Waits inside", formatDuration(node.wait_us)],
    ...(equal === null
      ? []
      : ([
          ["Equal layers", formatMean(equal.count)],
          ["Each of them", `${formatDuration(equal.least_us)} to ${formatDuration(equal.most_us)}`],
          ["The median one", formatDuration(equal.median_us)],
          ["Odd one out", equal.odd === null ? "none" : `${equal.odd}, ${formatDuration(equal.odd_us)}`],
        ] as [string, string][])),
  ];
  return (
    <section aria-labelledby="module-figures">
      <h3 id="module-figures">{shown.marks_steps ? "Of a step" : "Of the window"}</h3>
      <dl class="kv s12">
        {figures.map(([name, value]) => [
          <dt key={name}>{name}</dt>,
          <dd key={`${name} value`} class="anywhere">
            {value}
          </dd>,
        ])}
      </dl>
    </section>
  );
}
