import type { CompareSite } from "../../api/types.ts";
import { cutPython } from "../../model/source/python.ts";
import { visit } from "../../state/place.ts";
import { CodeText } from "../../widgets/CodeText.tsx";

/** Which site a row is about: its line where that was recorded, where it is, and what became of it. */
export function ComparePlace({ row }: { row: CompareSite }) {
  const { code, what, note } = row;
  return (
    <>
      {code !== "" && (
        <div class="mono ell" title={code}>
          <CodeText parts={cutPython(code, "").parts} />
        </div>
      )}
      <div class="row s12">
        <Places row={row} />
      </div>
      <p class="s12 t3 ell" title={what}>
        {what}
      </p>
      {note !== "" && (
        <p class="s12 b anywhere">
          <bdi>{note}</bdi>
        </p>
      )}
    </>
  );
}

function Places({ row: { site, location, before_location: moved } }: { row: CompareSite }) {
  const was = moved !== "" && (
    <span class="mono t3 nw">
      <bdi>{moved}</bdi> →
    </span>
  );
  if (site === null)
    return (
      <span class="mono ell" title={location}>
        <bdi>{location}</bdi>
      </span>
    );
  return (
    <>
      {was}
      <button class="loc link ell" type="button" title={location} onClick={() => visit({ view: "syncs", site })}>
        <bdi>{location}</bdi>
      </button>
    </>
  );
}
