import type { ModuleNode, ModulesView } from "../../api/types.ts";
import { type DurationUnit, differenceUnit, formatFineDurationIn } from "../../format/duration.ts";
import { formatMean, formatShare, shareOf } from "../../format/number.ts";
import type { ModuleRow } from "../../model/tree/modules.ts";
import { place } from "../../state/place.ts";
import { openModule, rows, showsHost, timeOfNode, toggle, top } from "../../state/tree/modules.ts";
import { NumberHead } from "../../widgets/NumberHead.tsx";

/** Deeper ones stand no further to the right. */
const MOST_INDENTS = 10;

interface Column {
  head: string;
  /** Null where it is not recorded. */
  value: (node: ModuleNode) => number | null;
  isTime: boolean;
}

const TIMES: readonly Column[] = [
  { head: "Forward", value: (node) => (showsHost.value ? node.host_forward_us : node.device_forward_us), isTime: true },
  { head: "Backward", value: (node) => (showsHost.value ? node.host_backward_us : node.device_backward_us), isTime: true },
  { head: "Self", value: (node) => (showsHost.value ? node.host_own_us : node.device_own_us), isTime: true },
];
const OTHERS: readonly Column[] = [
  { head: "Launches", value: (node) => node.launches, isTime: false },
  { head: "GPU idle", value: (node) => node.idle_us, isTime: true },
  { head: "Waits", value: (node) => node.wait_us, isTime: true },
];

/** The tree of modules; equal layers are one row, with the one that is not like the others. */
export function ModulesTable({ shown }: { shown: ModulesView }) {
  const whole = top.value?.value ?? 0;
  const unit = differenceUnit([whole]);
  const columns = shown.has_device ? [...TIMES, ...OTHERS] : TIMES;
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label="Table of modules">
      <table class="dense modules-table" aria-label="Modules">
        <thead>
          <tr>
            <th scope="col">Module</th>
            <NumberHead>
              {showsHost.value ? "Host" : "GPU"}, {unit}
            </NumberHead>
            <NumberHead>Share</NumberHead>
            {columns.map(({ head, isTime }) => (
              <th key={head} scope="col" class="num">
                {isTime ? `${head}, ${unit}` : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.value.map((row) => {
            const node = shown.nodes[row.index];
            return node && <Row key={row.index} row={row} node={node} columns={columns} unit={unit} whole={whole} />;
          })}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  row: ModuleRow;
  node: ModuleNode;
  columns: readonly Column[];
  unit: DurationUnit;
  whole: number;
}

function Row({ row, node, columns, unit, whole }: RowProps) {
  const time = timeOfNode(node);
  const share = shareOf(time, whole);
  return (
    <tr aria-selected={place.value.row === row.index} data-node={row.index}>
      <td>
        <div class="row tight" style={{ paddingLeft: `${16 * Math.min(row.depth, MOST_INDENTS)}px` }}>
          <Toggle row={row} name={node.name} />
          <button
            class="link mono ell"
            type="button"
            title={node.class_name === "" ? node.name : `${node.name} (${node.class_name})`}
            onClick={() => openModule(row.index)}
          >
            <bdi>{node.name}</bdi>
          </button>
          {node.equal !== null && <Spread node={node} unit={unit} />}
        </div>
      </td>
      <td class="num b">{formatFineDurationIn(time, unit)}</td>
      <td class="num share" style={{ backgroundSize: `${100 * (share ?? 0)}% 100%` }}>
        {formatShare(share)}
      </td>
      {columns.map(({ head, value, isTime }) => {
        const figure = value(node);
        return (
          <td key={head} class="num">
            {figure === null ? "—" : isTime ? formatFineDurationIn(figure, unit) : formatMean(figure)}
          </td>
        );
      })}
    </tr>
  );
}

function Toggle({ row, name }: { row: ModuleRow; name: string }) {
  if (!row.hasInner) return <span class="toggle" />;
  return (
    <button class="toggle" type="button" aria-expanded={row.isOpen} aria-label={`Inside ${name}`} onClick={() => toggle(row.index)}>
      <span aria-hidden="true">{row.isOpen ? "▾" : "▸"}</span>
    </button>
  );
}

/** Equal layers: how many, and the one that takes another time than the others. */
function Spread({ node: { equal }, unit }: { node: ModuleNode; unit: DurationUnit }) {
  if (equal === null) return null;
  const about = `each ${formatFineDurationIn(equal.least_us, unit)} to ${formatFineDurationIn(equal.most_us, unit)} ${unit}, the median one ${formatFineDurationIn(equal.median_us, unit)} ${unit}`;
  return (
    <>
      <span class="chip" title={about}>
        × {equal.count}
      </span>
      {equal.odd !== null && equal.odd_us !== null && (
        <span class="chip warn" title={about}>
          {equal.odd}: {formatFineDurationIn(equal.odd_us, unit)} {unit}
        </span>
      )}
    </>
  );
}
