import type { SiteRow } from "../../api/types.ts";
import { Icon } from "../../widgets/Icon.tsx";

const NOT_APPLICABLE = "—";

/** Pageable memory can't be copied without blocking: a cross, with the word. */
export function CopyMemory({ site }: { site: SiteRow }) {
  if (site.memory === "") return <>{NOT_APPLICABLE}</>;
  return <Flag good={site.memory === "pinned"} text={site.memory} />;
}

/** Whether the line asked not to wait; only a recorded line tells. */
export function NonBlocking({ site }: { site: SiteRow }) {
  if (site.non_blocking === null) return <span class="t3">{NOT_APPLICABLE}</span>;
  return <Flag good={site.non_blocking} text={site.non_blocking ? "yes" : "no"} />;
}

function Flag({ good, text }: { good: boolean; text: string }) {
  return (
    <span class="legend">
      <Icon name={good ? "tick" : "error"} tone={good ? "i-ok" : "i-bad"} />
      {text}
    </span>
  );
}
