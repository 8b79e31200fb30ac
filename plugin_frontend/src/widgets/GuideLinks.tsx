import { Fragment } from "preact";
import type { GuideLink } from "../api/types.ts";

/** Tuning guides that give the advice; nothing is loaded until a link is followed. */
export function GuideLinks({ guides }: { guides: readonly GuideLink[] }) {
  return (
    <p class="t2 s12 anywhere">
      {guides.map((one, at) => (
        <Fragment key={one.url}>
          {at > 0 && "; "}
          <a href={one.url} target="_blank" rel="noopener noreferrer">
            {one.guide}
          </a>
        </Fragment>
      ))}
    </p>
  );
}
