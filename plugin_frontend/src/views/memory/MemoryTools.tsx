import type { MemoryView } from "../../api/types.ts";
import { chooseDevice, chooseMoment, openTimeline, seen, showAll } from "../../state/memory/memory.ts";
import { place } from "../../state/place.ts";
import { views } from "../../state/runs/runs.ts";
import { SegmentedControl } from "../../widgets/SegmentedControl.tsx";

/** Whose memory, which part of the window, and the way back to the peak. */
export function MemoryTools({ shown }: { shown: MemoryView }) {
  const part = seen.value;
  const isWhole = part !== null && part.toNs - part.fromNs >= shown.span_ns;
  return (
    <div class="tool">
      {shown.devices.length > 1 && (
        <SegmentedControl
          label="Memory of"
          options={shown.devices.map(({ device }) => [device, device] as const)}
          isChosen={(device) => device === shown.device}
          onChoose={chooseDevice}
        />
      )}
      <button class="btn sm" type="button" disabled={isWhole} onClick={showAll}>
        Whole window
      </button>
      {views.value.includes("timeline") && (
        <button class="btn sm" type="button" onClick={openTimeline}>
          This part in the timeline
        </button>
      )}
      <button class="btn sm" type="button" disabled={place.value.momentNs === null} onClick={() => chooseMoment(null)}>
        Back to the peak
      </button>
      <span class="right row s12 t3 nw">
        <Swatch kind="allocated" /> allocated
        {shown.line?.reserved_bytes != null && (
          <>
            <Swatch kind="reserved" /> reserved
          </>
        )}
      </span>
    </div>
  );
}

function Swatch({ kind }: { kind: "allocated" | "reserved" }) {
  return (
    <svg class="key" viewBox="0 0 12 12" aria-hidden="true">
      {kind === "allocated" ? <rect width="12" height="12" rx="2" class="f-compute" /> : <path d="M0 6H12" class="nofill reserved" />}
    </svg>
  );
}
