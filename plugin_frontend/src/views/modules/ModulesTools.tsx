import type { ModulesView } from "../../api/types.ts";
import { formatCounted, formatShare, shareOf } from "../../format/number.ts";
import { pathTo } from "../../model/icicle.ts";
import { matches, showsHost, showTime, top, zoomTo } from "../../state/modules.ts";
import { adjust, place } from "../../state/place.ts";
import { Icon } from "../../widgets/Icon.tsx";

/** Whose time, what is looked for, and what was opened. */
export function ModulesTools({ shown }: { shown: ModulesView }) {
  return (
    <>
      <div class="tool">
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
        <label class="field search">
          <Icon name="search" />
          <span class="sr">Find by name</span>
          <input id="filter" placeholder="Find by name" value={place.value.filter} onInput={(event) => adjust({ filter: event.currentTarget.value })} />
          <span class="s12 t3 nw" role="status">
            {foundText()}
          </span>
        </label>
      </div>
      <Breadcrumb />
    </>
  );
}

function foundText(): string {
  const found = matches.value;
  if (found === null) return "";
  if (found.found.size === 0) return "none";
  return `${formatCounted(found.found.size, "match", "matches")}, ${formatShare(shareOf(found.value, top.value?.value ?? 0))}`;
}

/** What the opened part lies in; each leads back. */
function Breadcrumb() {
  const node = top.value;
  if (node === null || node.parent === null) return null;
  return (
    <nav class="crumbs s12" aria-label="Opened">
      {pathTo(node).map((step) => (
        <span key={step.index} class="row tight">
          {step.parent !== null && <span aria-hidden="true">›</span>}
          {step === node ? (
            <b class="mono ell" aria-current="true">
              <bdi>{step.name}</bdi>
            </b>
          ) : (
            <button class="link mono ell" type="button" onClick={() => zoomTo(step.index)}>
              <bdi>{step.name}</bdi>
            </button>
          )}
        </span>
      ))}
    </nav>
  );
}
