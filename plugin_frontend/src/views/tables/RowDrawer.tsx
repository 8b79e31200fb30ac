import type { RowCode, RowDetails, RowPlace, TableView } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatCounted } from "../../format/number.ts";
import { NOWHERE } from "../../model/place.ts";
import { printSelected } from "../../model/timeline/selected.ts";
import { copyText } from "../../state/notice.ts";
import { visit } from "../../state/place.ts";
import { views } from "../../state/runs/runs.ts";
import { sourceFiles, visitCode } from "../../state/source/source.ts";
import { rowDetails } from "../../state/tables/tables.ts";
import { Icon } from "../../widgets/Icon.tsx";
import { Location } from "../../widgets/Location.tsx";
import { RowParts } from "../../widgets/RowParts.tsx";
import { EditorButton } from "../EditorButton.tsx";
import { Drawer } from "../sites/Drawer.tsx";
import { cellText, headOf, withUnit, withUnits } from "./cells.ts";

/** One row: its whole name, its kernels or operators, its code, its places in the timeline, all its figures. */
export function RowDrawer({ view, row }: { view: TableView; row: number }) {
  const answer = rowDetails.value;
  const [first] = view.columns;
  const title = (first === undefined ? "" : cellText(withUnit(first), row)) || "In none";
  return (
    <Drawer title={<bdi class="mono">{title}</bdi>}>
      {answer.kind === "there" && <Known details={answer.value} title={title} isKernel={view.table === "kernels"} />}
      {answer.kind === "failed" && <p class="s12 t2 anywhere">{answer.message}</p>}
      <Figures view={view} row={row} hasShapes={answer.kind !== "there"} />
    </Drawer>
  );
}

function Known({ details, title, isKernel }: { details: RowDetails; title: string; isKernel: boolean }) {
  return (
    <>
      {details.name !== title && (
        <section aria-labelledby="whole-name">
          <h3 id="whole-name">Whole name</h3>
          <p class="mono s12 anywhere">
            <bdi>{details.name}</bdi>
          </p>
          <p>
            <button class="btn q sm" type="button" onClick={() => void copyText(details.name, "Name")}>
              <Icon name="copy" />
              Copy
            </button>
          </p>
        </section>
      )}
      {details.shapes !== "" && (
        <section aria-labelledby="row-shapes">
          <h3 id="row-shapes">Shapes</h3>
          <p class="mono s12 anywhere">{details.shapes}</p>
        </section>
      )}
      <Parts details={details} isKernel={isKernel} />
      <Code rows={details.code} />
      <Places places={details.places} />
      {details.stack.length > 0 && (
        <details>
          <summary class="s12">Stack, innermost first</summary>
          <ol class="s12 mono">
            {details.stack.map((frame, at) => (
              <li key={at} class="anywhere">
                <bdi>{frame}</bdi>
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}

/** Kernels of an operator lead to the kernels, and the other way round. */
function Parts({ details: { parts, more_parts: more }, isKernel }: { details: RowDetails; isKernel: boolean }) {
  return (
    <RowParts
      id="row-parts"
      title={isKernel ? "Launched by" : "Kernels"}
      parts={parts.map((part) => ({ ...part, time_us: part.device_us }))}
      smaller={more}
      onOpen={(part) => visit({ view: isKernel ? "operators" : "kernels", filter: part.short_name, by: null, site: null })}
    />
  );
}

/** A file that was not recorded has no page in Source: it can be opened in the editor. */
function Code({ rows }: { rows: readonly RowCode[] }) {
  if (rows.length === 0) return null;
  const files = sourceFiles.value?.files ?? [];
  return (
    <section aria-labelledby="row-code">
      <h3 id="row-code">Called in</h3>
      <ul class="s12 row-code">
        {rows.map((code, at) => {
          const place = { file: code.file, line: code.line };
          const hasSource = files.some((file) => file.path === code.file || file.path.endsWith(`/${code.file}`));
          return (
            <li key={at}>
              <div class="row">
                <Location source={place} />
              </div>
              <p class="t3 anywhere">
                <bdi class="mono">
                  {!code.exact && "def "}
                  {code.function}
                </bdi>
                , {formatCounted(code.calls, "call")}, {formatDuration(code.time_us)}
              </p>
              <div class="row">
                {hasSource && (
                  <button class="btn sm" type="button" onClick={() => visitCode(place)}>
                    <Icon name="search" />
                    Source
                  </button>
                )}
                {at === 0 && <EditorButton place={place} />}
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Places({ places }: { places: readonly RowPlace[] }) {
  if (places.length === 0 || !views.value.includes("timeline")) return null;
  return (
    <section aria-labelledby="row-places">
      <h3 id="row-places">In the timeline</h3>
      <ul class="s12">
        {places.map((place, at) => (
          <li key={place.row}>
            <button class="link" type="button" onClick={() => showPlace(place)}>
              {at === 0 && places.length > 1 ? "the median one: " : ""}
              {place.step_name === "" ? "outside the steps" : place.step_name} at {formatDuration(place.start_us)}: {timeOf(place)}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function timeOf({ host_us: host, device_us: device }: RowPlace): string {
  if (device === null) return `${formatDuration(host)} on the host`;
  return host === null ? formatDuration(device) : `${formatDuration(device)} on the GPU, ${formatDuration(host)} on the host`;
}

function showPlace({ row, step }: RowPlace): void {
  visit({ ...NOWHERE, view: "timeline", step: step ?? 0, selected: printSelected({ kind: "row", number: row }), site: null, rule: null });
}

function Figures({ view, row, hasShapes }: { view: TableView; row: number; hasShapes: boolean }) {
  const columns = view.columns.slice(1).filter(({ key }) => hasShapes || key !== "shapes");
  return (
    <section aria-labelledby="row-figures">
      <h3 id="row-figures">Figures of {view.scope === "steps" && view.marks_steps ? "the steps" : "the whole trace"}</h3>
      <dl class="kv s12">
        {withUnits(columns).map((one) => [
          <dt key={one.column.key} title={one.column.about}>
            {headOf(one)}
          </dt>,
          <dd key={`${one.column.key} value`} class="anywhere">
            {cellText(one, row)}
          </dd>,
        ])}
      </dl>
    </section>
  );
}
