import { inView, printPlace } from "../../model/place.ts";
import { place, visit } from "../../state/place.ts";
import { notedRunTime } from "../../state/runs/runTime.ts";
import { Icon } from "../../widgets/Icon.tsx";

/** Before what a window says: that the run loses more outside of its usual steps than within them. */
export function RunNote() {
  const view = notedRunTime.value;
  if (view === null || !view.comes_first) return null;
  return (
    <p class="row run-note" role="note">
      <Icon name="warning" tone="i-warn" />
      <span class="anywhere">
        {view.headline}{" "}
        <a
          class="link"
          href={printPlace(inView(place.value, "run"))}
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            visit({ view: "run" });
          }}
        >
          Where the time of the run went
        </a>
      </span>
    </p>
  );
}
