import { useEffect } from "preact/hooks";
import type { TableView } from "../../api/types.ts";
import { Meter } from "../../draw/bars/Meter.tsx";
import { type DurationUnit, differenceUnit, formatFineDurationIn } from "../../format/duration.ts";
import { formatCounted, formatMean, formatShare, formatSigned } from "../../format/number.ts";
import { type ComparedRow, comparedRows } from "../../model/tables/comparedRows.ts";
import { COMPARED, type ComparedName, compareBy, comparedName, comparedTable, loadComparedTable } from "../../state/compare/comparedTable.ts";
import { Card } from "../../widgets/Card.tsx";
import { InlineText } from "../../widgets/Prose.tsx";
import { SegmentedControl } from "../../widgets/SegmentedControl.tsx";
import "../../draw/traceTables.ts";
import { NumberHead } from "../../widgets/NumberHead.tsx";

/** Nobody reads more; the others are one row. */
const MOST = 30;

const NAMES: Record<ComparedName, string> = { operators: "Operators", kernels: "Kernels", modules: "Modules" };

/** What each operator, kernel or module adds to the difference. It takes both traces, so it comes after the rest. */
export function ComparedTable() {
  useEffect(loadComparedTable, []);
  return (
    <Card id="compared-rows" title="What is computed" aside={<Choice />}>
      <Answer />
    </Card>
  );
}

function Choice() {
  return (
    <SegmentedControl
      label="Rows of"
      options={COMPARED.map((name) => [name, NAMES[name]] as const)}
      isChosen={(name) => name === comparedName.value}
      onChoose={compareBy}
    />
  );
}

function Answer() {
  const answer = comparedTable.value;
  if (answer.kind === "failed") return <p class="in t2 anywhere">{answer.message}</p>;
  if (answer.kind === "loading" || answer.value.state === "reading") return <p class="in t2">Reading both traces</p>;
  const { view, problem } = answer.value;
  if (view === null) return <p class="in t2 anywhere">{problem?.what ?? "A trace of these windows is not here any more"}</p>;
  return <Rows view={view} />;
}

function Rows({ view }: { view: TableView }) {
  const { rows, rest, all } = comparedRows(view, MOST);
  const unit = differenceUnit([all.beforeUs, all.afterUs]);
  const longest = Math.max(...rows.flatMap((row) => [row.beforeUs, row.afterUs]), 0);
  const what = view.table.replace(/s$/, "");
  return (
    <>
      <p class="in anywhere">
        <InlineText text={view.headline} /> <span class="t3">{view.about}</span>
      </p>
      <div class="scroll-x" tabIndex={0} role="region" aria-label={`Compared ${view.table}`}>
        <table class="dense compared-rows" aria-labelledby="compared-rows">
          <thead>
            <tr>
              <th scope="col">{NAMES[comparedName.value].replace(/s$/, "")}</th>
              <NumberHead>Before, {unit}</NumberHead>
              <NumberHead>after</NumberHead>
              <th scope="col">
                <span class="sr">Times drawn</span>
              </th>
              <NumberHead>Difference, {unit}</NumberHead>
              <NumberHead>Share</NumberHead>
              <NumberHead>Calls before</NumberHead>
              <NumberHead>after</NumberHead>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <Row key={at} row={row} unit={unit} longest={longest} />
            ))}
            {rest !== null && <Row row={{ ...rest, name: formatCounted(Number(rest.name), `smaller ${what}`) }} unit={unit} longest={longest} isSum />}
            <Row row={{ ...all, name: "All" }} unit={unit} longest={longest} isSum />
          </tbody>
        </table>
      </div>
    </>
  );
}

interface RowProps {
  row: ComparedRow;
  unit: DurationUnit;
  longest: number;
  isSum?: boolean;
}

function Row({ row, unit, longest, isSum = false }: RowProps) {
  const isRest = row.state === "rest";
  return (
    <tr class={isSum ? "b" : ""}>
      <td class={isSum || isRest ? "" : "mono"} title={row.detail === "" ? row.name : `${row.name} ${row.detail}`}>
        <span class="row tight">
          <bdi class="ell">{row.name}</bdi>
          {row.state === "new" && <span class="chip warn">new</span>}
          {row.state === "gone" && <span class="chip ok">gone</span>}
        </span>
      </td>
      <td class="num">{formatFineDurationIn(row.beforeUs, unit)}</td>
      <td class="num">{formatFineDurationIn(row.afterUs, unit)}</td>
      <td>
        {!isSum && (
          <>
            <Meter parts={[{ length: Math.max(row.beforeUs, 0), fill: { class: "f-before" } }]} most={longest} />
            <Meter parts={[{ length: Math.max(row.afterUs, 0), fill: { class: "f-acc" } }]} most={longest} />
          </>
        )}
      </td>
      <td class="num">{formatSigned(row.differenceUs, (size) => formatFineDurationIn(size, unit))}</td>
      <td class="num">{row.share === null ? "—" : formatShare(row.share)}</td>
      <td class="num">{isRest ? "—" : formatMean(row.callsBefore)}</td>
      <td class="num">{isRest ? "—" : formatMean(row.callsAfter)}</td>
    </tr>
  );
}
