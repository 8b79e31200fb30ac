import type { OverviewView } from "../../api/types.ts";
import { Card } from "../../widgets/Card.tsx";

/** The figures that other tools call utilization, each with what it can and can't say. */
export function GpuUseCard({ overview }: { overview: OverviewView }) {
  return (
    <Card id="gpu-use" title="How full the GPU is" about={`Of ${overview.gpu_use_scope}.`}>
      <div class="in">
        <ul class="checks use">
          {overview.gpu_use.map((row) => (
            <li key={row.title}>
              <div>
                <p class="row">
                  <span class="grow">{row.title}</span>
                  <b class="nw">{row.figure}</b>
                </p>
                <p class="s12 t3">{row.about}</p>
              </div>
            </li>
          ))}
        </ul>
      </div>
    </Card>
  );
}
