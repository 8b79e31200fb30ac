import { Fragment } from "preact";
import type { GuideLink } from "../api/types.ts";

/** Tuning guides that give the advice; nothing is loaded until a link is followed. */
export function GuideLinks({ guides }: { guides: readonly GuideLink[] }) {
  return (
    <p class="t3 s12 anywhere">
      In{" "}
      {guides.map((one, at) => (
        <Fragment key={one.url}>
          {at > 0 && ", "}
          <a class="away" href={one.url} target="_blank" rel="noopener noreferrer" title={`${one.guide}: ${one.advice}`}>
            {one.short}
          </a>
        </Fragment>
      ))}
    </p>
  );
}
