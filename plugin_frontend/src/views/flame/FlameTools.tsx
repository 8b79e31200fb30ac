import type { IcicleView } from "../../api/types.ts";
import { Legend, type LegendEntry } from "../../draw/Legend.tsx";
import { formatCounted, formatShare, shareOf } from "../../format/number.ts";
import { pathTo, type TreeNode } from "../../model/icicle.ts";
import { matches, showBy, showsHost, showTime, top, wanted, whole, zoomTo } from "../../state/icicle.ts";
import { Icon } from "../../widgets/Icon.tsx";
import { InlineText } from "../../widgets/Prose.tsx";
import { shortName } from "./names.ts";

const KINDS: Record<IcicleView["kind"], string> = { function: "Function", operator: "Operator", module: "Module", label: "Label" };

/** What it is nested by, whose time, what is looked for, and what was opened. */
export function FlameTools({ shown }: { shown: IcicleView }) {
  const missing = shown.kinds.filter((choice) => choice.missing !== "");
  return (
    <>
      <div class="tool">
        <span class="seg" role="group" aria-label="Nested by">
          {shown.kinds
            .filter((choice) => choice.missing === "")
            .map(({ kind }) => (
              <button key={kind} type="button" aria-pressed={kind === shown.kind} onClick={() => showBy(kind)}>
                {KINDS[kind]}
              </button>
            ))}
        </span>
        {shown.has_device && (
          <span class="seg" role="group" aria-label="Time of">
            <button type="button" aria-pressed={!showsHost.value} onClick={() => showTime("device")}>
              GPU
            </button>
            <button type="button" aria-pressed={showsHost.value} onClick={() => showTime("host")}>
              Host
            </button>
          </span>
        )}
        <Search />
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
      <Breadcrumb />
    </>
  );
}

function Search() {
  const found = matches.value;
  return (
    <label class="field search">
      <Icon name="search" />
      <span class="sr">Find by name</span>
      <input
        id="filter"
        placeholder="Find by name"
        value={wanted.value}
        onInput={(event) => {
          wanted.value = event.currentTarget.value;
        }}
      />
      <span class="s12 t3 nw" role="status">
        {found === null || wanted.value.trim() === ""
          ? ""
          : found.found.size === 0
            ? "none"
            : `${formatCounted(found.found.size, "match", "matches")}, ${formatShare(shareOf(found.value, whole.value))}`}
      </span>
    </label>
  );
}

const ENTRIES: readonly LegendEntry[] = [
  [{ class: "f-compute" }, "your code"],
  [{ class: "f-compute2" }, "libraries, operators"],
];

/** More are left out in the middle. */
const MOST_CRUMBS = 4;

/** What the opened node lies in; each leads back. */
function Breadcrumb() {
  const node = top.value;
  if (node === null || node.parent === null) return null;
  const path = pathTo(node);
  const [first, ...inner] = path;
  const left = inner.slice(0, Math.max(inner.length - MOST_CRUMBS, 0));
  return (
    <nav class="crumbs s12" aria-label="Opened">
      {first !== undefined && <Crumb node={first} />}
      {left.length > 0 && <span class="t3">› {formatCounted(left.length, "call")}</span>}
      {inner.slice(left.length).map((step) => (
        <Crumb key={step.index} node={step} isOpen={step === node} />
      ))}
    </nav>
  );
}

function Crumb({ node, isOpen = false }: { node: TreeNode; isOpen?: boolean }) {
  const name = <bdi>{shortName(node)}</bdi>;
  return (
    <span class="row tight">
      {node.parent !== null && <span aria-hidden="true">›</span>}
      {isOpen ? (
        <b class="mono ell" aria-current="true" title={node.name}>
          {name}
        </b>
      ) : (
        <button class="link mono ell" type="button" title={node.name} onClick={() => zoomTo(node)}>
          {name}
        </button>
      )}
    </span>
  );
}
