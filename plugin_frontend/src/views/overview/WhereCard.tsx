import type { HostBar, OverviewView, SavingView, WindowView } from "../../api/types.ts";
import { deviceSegments, deviceText } from "../../draw/bars/deviceSegments.ts";
import { type Segment, StackBar } from "../../draw/bars/StackBar.tsx";
import { TimeAxis } from "../../draw/charts/TimeAxis.tsx";
import { COMMUNICATING, COMPUTING, causeFill } from "../../draw/marks/causes.ts";
import { deviceEntries, Legend, type LegendEntry } from "../../draw/marks/Legend.tsx";
import { type DurationUnit, formatDuration, formatDurationIn, tableUnit } from "../../format/duration.ts";
import { NOT_RECORDED } from "../../format/number.ts";
import { ABOUT_WITHOUT_WAITS, WITHOUT_WAITS } from "../../format/saving.ts";
import { Card } from "../../widgets/Card.tsx";
import { CausesTable } from "./CausesTable.tsx";
import { meanOfSteady, onMeanDevice } from "./means.ts";

/** A step on one time axis: the GPU, the host, and the GPU after the plan; then why it is idle. */
export function WhereCard({ view }: { view: WindowView }) {
  const { overview } = view;
  const { device, host, saving, step_us: step } = overview;
  if (step === null || (device === null && host === null)) {
    return (
      <Card id="where" title={title(view)}>
        <p class="in t2">{NOT_RECORDED}</p>
      </Card>
    );
  }
  const unit = tableUnit([step]);
  const showsAfter = saving !== null && saving.estimate_us !== null && saving.estimate_us >= LEAST_SHARE * step;
  return (
    <Card
      id="where"
      title={title(view)}
      about={view.marks_steps ? meanOfSteady(overview.steady_steps) : ""}
      aside={<Legend entries={entriesOf(overview, showsAfter)} />}
    >
      <div class="in bars">
        {device !== null && (
          <>
            <span class="s12 t2">{onMeanDevice(view, "GPU")}</span>
            <StackBar segments={deviceSegments(device, overview.causes, unit)} scale_us={step} label={deviceText("GPU", device, overview.causes)} />
          </>
        )}
        {host !== null && (
          <>
            <span class="s12 t2">Host thread</span>
            <StackBar segments={hostSegments(host, unit, device !== null)} scale_us={step} label={hostText(host, device !== null)} />
          </>
        )}
        {saving !== null && showsAfter && (
          <>
            <span class="s12 t2" title={ABOUT_WITHOUT_WAITS}>
              {WITHOUT_WAITS}
            </span>
            <StackBar segments={afterSegments(step, saving, unit)} scale_us={step} label={afterText(step, saving)} />
          </>
        )}
        <span />
        <TimeAxis scale_us={step} unit={unit} />
      </div>
      {overview.computing !== "" && <p class="in s12 t2">{overview.computing}</p>}
      {overview.causes.length > 0 && <CausesTable view={view} unit={unit} />}
    </Card>
  );
}

function title({ marks_steps: marked }: WindowView): string {
  return `Where ${marked ? "a step" : "the window"} goes`;
}

/** A bar without the waits that looks like the one above it says nothing. */
const LEAST_SHARE = 0.01;

function entriesOf({ device, host }: OverviewView, saves: boolean): LegendEntry[] {
  if (device === null) return host === null ? [] : hostEntries(host);
  return [...deviceEntries(device.communication_us > 0), ...(saves ? SAVING_ENTRIES : [])];
}

/** Without a GPU the host's parts are what there is to read: those that the bar has. */
function hostEntries(host: HostBar): LegendEntry[] {
  const entries: [number, LegendEntry][] = [
    [host.launching_us, [COMPUTING, IN_OPS]],
    [host.waiting_us, [COMMUNICATING, waitingName(false)]],
    [host.other_us, [{ class: "f-compute2" }, "Python and other things"]],
    [host.loading_us, [causeFill("data"), "loading data"]],
  ];
  return entries.filter(([length]) => length > 0).map(([, entry]) => entry);
}

/** Without a GPU nothing is waited for but other ranks. */
function waitingName(hasDevice: boolean): string {
  return hasDevice ? "waiting" : "in collectives";
}

const SAVING_ENTRIES: readonly LegendEntry[] = [
  [{ class: "f-gain" }, "floor"],
  [{ class: "f-gain2" }, "estimate"],
  [{ fill: "url(#p-gain)" }, "ceiling"],
];

/** Whether they launch or compute themselves: not every operator is for the GPU. */
const IN_OPS = "in torch ops";

function hostSegments(host: HostBar, unit: DurationUnit, hasDevice: boolean): Segment[] {
  const figure = (name: string, length: number): string => `${name} ${formatDurationIn(length, unit)}`;
  return [
    { length_us: host.launching_us, fill: COMPUTING, text: figure(IN_OPS, host.launching_us), textClass: "inv" },
    {
      length_us: host.waiting_us,
      fill: hasDevice ? { class: "f-none" } : COMMUNICATING,
      text: figure(waitingName(hasDevice), host.waiting_us),
      textClass: "tx",
      dashed: hasDevice,
    },
    { length_us: host.other_us, fill: { class: "f-compute2" }, text: figure("other", host.other_us), textClass: "on2" },
    { length_us: host.loading_us, fill: causeFill("data"), text: "", textClass: "tx" },
  ];
}

function hostText(host: HostBar, hasDevice: boolean): string {
  const waiting = `${hasDevice ? "waiting for the GPU" : waitingName(false)} ${formatDuration(host.waiting_us)}, `;
  return `Host thread: ${IN_OPS} ${formatDuration(host.launching_us)}, ${waiting}loading data ${formatDuration(host.loading_us)}, Python and other things ${formatDuration(host.other_us)}`;
}

/** The right end of the step as what goes: at most, by the estimate, at least. */
function afterSegments(step: number, saving: SavingView, unit: DurationUnit): Segment[] {
  const { floor_us: floor, ceiling_us: ceiling } = saving;
  const estimate = saving.estimate_us ?? floor;
  const then = saving.estimate_us === null ? "" : formatDurationIn(step - estimate, unit);
  return [
    { length_us: step - ceiling, fill: { class: "f-compute2" }, text: then, textClass: "on2" },
    { length_us: ceiling - estimate, fill: { fill: "url(#p-gain)" }, text: "", textClass: "tx" },
    { length_us: estimate - floor, fill: { class: "f-gain2" }, text: "", textClass: "tx" },
    { length_us: floor, fill: { class: "f-gain" }, text: "", textClass: "tx" },
  ];
}

function afterText(step: number, { floor_us: floor, estimate_us: estimate, ceiling_us: ceiling }: SavingView): string {
  const about = estimate === null ? "no estimate" : `about ${formatDuration(step - estimate)}`;
  return `The step without waits: ${about}; at least ${formatDuration(floor)} and at most ${formatDuration(ceiling)} go`;
}
