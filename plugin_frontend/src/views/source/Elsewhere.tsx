import type { FindingRow } from "../../api/types.ts";
import { FindingLinks } from "../FindingLinks.tsx";

/** The findings that no line shows. */
export function Elsewhere({ findings }: { findings: readonly FindingRow[] }) {
  if (findings.length === 0) return null;
  return (
    <section class="elsewhere" aria-label="Findings about no single line">
      <h2 class="s12 t3 plain">Findings about no single line</h2>
      <FindingLinks findings={findings} />
    </section>
  );
}
