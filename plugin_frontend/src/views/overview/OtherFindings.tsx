import type { FindingRow, OverviewView } from "../../api/types.ts";
import { formatCounted } from "../../format/number.ts";
import { Card } from "../../widgets/Card.tsx";
import { FindingLinks } from "../FindingLinks.tsx";

/** What was found and is no action: what it is worth is not known, or it is not worth a change. */
export function OtherFindings({ overview: { unknown, leave } }: { overview: OverviewView }) {
  if (unknown.length + leave.length === 0) return null;
  return (
    <Card id="findings" title="Other findings">
      <Folded rows={unknown} open title={`${formatCounted(unknown.length, "finding")} without a figure: what a change would save is not known`} />
      <Folded rows={leave} open={false} title={`${formatCounted(leave.length, "minor finding")}, not worth a change`} />
    </Card>
  );
}

function Folded({ rows, open, title }: { rows: readonly FindingRow[]; open: boolean; title: string }) {
  if (rows.length === 0) return null;
  return (
    <details class="hr in" open={open}>
      <summary>{title}</summary>
      <FindingLinks findings={rows} />
    </details>
  );
}
