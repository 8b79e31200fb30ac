import type { CompareView } from "../../api/types.ts";
import { Card } from "../../widgets/Card.tsx";

/** What beside the program is not the same, and what is. */
export function DifferencesCard({ view: { differences, alike } }: { view: CompareView }) {
  return (
    <Card id="differences" title="What else differs">
      {differences.length === 0 ? (
        <p class="in t2">Nothing that was recorded on both sides</p>
      ) : (
        <dl class="in differences">
          {differences.map((row) => (
            <div key={row.name}>
              <dt class="t3 s12">{row.name}</dt>
              <dd class="anywhere">
                <bdi>{row.before}</bdi> → <bdi>{row.after}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {alike !== "" && <p class="in hr s12 t3 anywhere">{alike}</p>}
    </Card>
  );
}
