// Printed by `python -m tbprof.views.typescript`; do not edit.

export interface WindowRow {
  /** Its id, to be given back as the parameter `window`. */
  window: string;
  /** Whether it opens at once; else its trace is read first. */
  has_report: boolean;
  size_bytes: number;
}

export interface WorkerRow {
  worker: string;
  rank: number | null;
  /** Oldest first. */
  windows: WindowRow[];
}

export interface RunRow {
  run: string;
  /** The same of runs that are taken to be of one program. */
  family: string;
  workers: WorkerRow[];
}

export interface SkippedRow {
  path: string;
  /** A sentence. */
  reason: string;
}

export interface RunsView {
  logdir: string;
  tbprof_version: string;
  runs: RunRow[];
  /** Runs that failed before they recorded one, and left where memory ran out; with the first page. */
  without_windows: string[];
  /** Where a visitor without an address arrives: the run that recorded, or failed, last. */
  newest_run: string | null;
  /** With the first page. */
  skipped: SkippedRow[];
  /** The parameter `page` that gives the runs after these; null with the last ones. */
  next_page: number | null;
  /** Pages of another version belong to another list. */
  version: string;
  /** Whether notes of people and agents lie beside it. */
  has_session: boolean;
}

export interface RunsVersion {
  /** Changes with the windows of the log directory: a tab asks for it each second. */
  version: string;
  /** Changes with the files of the window that is asked about; null where there is none. */
  content: string | null;
}

export interface FleetCause {
  cause: string;
  name: string;
  /** The share of the steps, 0 to 1. */
  share: number;
}

export interface FleetRow {
  run: string;
  /** The run; with the worker where recordings in one folder are no ranks of one job. */
  name: string;
  /** With the window, what a click on the run opens: the rank that the top line costs most. */
  worker: string;
  window: string;
  /** Without figures: its trace was not read yet, or gives nothing. */
  state: "ready" | "unread" | "broken";
  /** Why it gives nothing; of one with figures which of its ranks give nothing, are damaged or missing. */
  problem: string;
  /** The first folder below the log directory; of a run that lies in it itself, who owns the newest file. */
  owner: string | null;
  commit: string | null;
  /** How many runs of one program with the same top line it stands for: it is the newest. */
  runs: number;
  /** When the newest window was, in seconds since 1970. */
  recorded_s: number;
  ranks: number;
  windows: number;
  /** The number used at once: runs one after the other use the same ones. Null where none was recorded, or
   * where it was and its work is missing from the file. */
  gpus: number | null;
  /** Whether all that a GPU did is there to be judged; of a recording without one, too. */
  is_judged: boolean;
  /** The time from the beginning of the first window to the end of the last, of all its runs. */
  watched_s: number | null;
  /** The same summed over the GPUs. */
  gpu_s: number | null;
  /** The share of its whole time that was steps as usual, 0 to 1; null where the hook noted none. */
  goodput: number | null;
  step_us: number | null;
  busy: number | null;
  communication: number | null;
  copying: number | null;
  idle: number | null;
  /** The GPU-hours that are idle in a day at this rate: runs are ranked by them. */
  idle_gpu_h: number | null;
  /** The causes of idle, as they are stacked. */
  causes: FleetCause[];
  /** What the page of the job says first; "" of a run whose ranks are not compared. */
  job: string;
  /** Whether the top line is what a late rank is to change first. */
  is_of_job: boolean;
  /** What costs most; "" where nothing does, where to record again comes first, or `is_judged` is false. */
  top_rule: string;
  /** "" where nothing is worth a change. */
  top_action: string;
  top_place: string;
  top_site: number | null;
  /** What the top line costs, in GPU-hours a day at this rate. */
  top_gpu_h: number | null;
  /** Whether that is an estimate; else at most so much. */
  is_estimate: boolean;
  /** The run before it that it is compared with; null where there is none. */
  before: string | null;
  /** The change of the step since then, 0.1 for a tenth longer. */
  change: number | null;
  /** Whether another commit than that of the run before added a wait. */
  is_alarm: boolean;
  /** What was added, or why nobody can tell; "" where nothing was. */
  alarm: string;
}

export interface FleetView {
  verdict: string;
  detail: string;
  /** A page of those that were found. */
  rows: FleetRow[];
  /** Place of the first of them in line, from 0 on. */
  first: number;
  found: number;
  /** The number of all runs. */
  total: number;
  /** Windows that are still to be read. */
  reading: number;
  /** The number of all windows; 0 where all are read before. */
  windows: number;
  /** Whether their traces are left unread until somebody opens them, or lets the reading go on. */
  is_stopped: boolean;
}

export interface StepRow {
  name: string;
  start_us: number;
  duration_us: number;
  cold: boolean;
  sync_points: number;
  wait_us: number;
  device_idle_us: number | null;
  idle_empty_us: number | null;
  gpu_lag_us: number | null;
}

export interface SyncView {
  count: number;
  wait_us: number;
  wait_in_copy_us: number;
  wait_in_sync_us: number;
  explained_us: number;
  profiler_own_us: number[];
  /** Whether calls of the host were; else the figures are 0, and say nothing. */
  is_recorded: boolean;
}

export interface CopyRow {
  direction: string;
  memory: string;
  count: number;
  bytes: number;
  blocking: number;
  /** How long those that blocked held the host. */
  wait_us: number | null;
  device_us: number | null;
  /** The part of `device_us` during which the device computed nothing. */
  exposed_us: number | null;
  bytes_per_s: number | null;
  /** The speed of the fastest single copy. */
  best_bytes_per_s: number | null;
  /** A sentence where the host waits for something else than the copies; else "". */
  remark: string;
}

export interface DeviceIdleRow {
  /** Its number. */
  device: string;
  /** 0 to 1. */
  share_of_steps: number;
}

export interface IdleView {
  device_us: number;
  empty_us: number;
  queued_us: number;
  /** Mean over the devices, 0 to 1. */
  share_of_steps: number;
  /** In the order of their numbers. */
  by_device: DeviceIdleRow[];
}

export interface SavingView {
  floor_us: number;
  estimate_us: number | null;
  ceiling_us: number;
}

export interface SourceView {
  file: string;
  line: number | null;
  function: string;
  exact: boolean;
  candidates: number[];
  /** The line's text; "" where it is not exact or was not recorded. */
  code: string;
  /** What is not known of its line; "" if nothing. */
  doubt: string;
}

export interface FixView {
  summary: string;
  before: string;
  after: string;
  caveat: string;
}

export interface FindingRow {
  rule: string;
  name: string;
  /** What is the case. */
  title: string;
  /** What to do, in the imperative and without its full stop. */
  action: string;
  severity: "critical" | "high" | "medium" | "low" | "info";
  severity_reason: string;
  removal: "drop" | "defer" | "hoist" | "rewrite" | "needed";
  confidence: "high" | "medium" | "low";
  count: number;
  saving: SavingView | null;
  /** Its saving in words, and what that rests on; "" if there is none. */
  worth: string;
  /** Its own figures in a sentence, or the option that takes it away; "" if there is nothing to say. */
  note: string;
  what: string;
  why: string;
  fix: FixView;
  fingerprint: string;
  /** Indexes into the window's sites. */
  sites: number[];
  /** What it is about where it has no sites; "" if that is the whole window. */
  place: string;
}

export interface SpanRow {
  kind: "launch" | "copy_call" | "sync_call" | "kernel" | "communication" | "copy" | "memset";
  name: string;
  start_us: number;
  duration_us: number;
}

export interface InstanceRemark {
  lane: "host" | "device";
  start_us: number;
  text: string;
}

export interface InstanceView {
  step: string | null;
  op: SpanRow | null;
  host: SpanRow[];
  device: SpanRow[];
  remarks: InstanceRemark[];
}

export interface SiteRow {
  index: number;
  /** Where to look for it, in short: its line, else what is recorded around it. */
  where: string;
  what: string;
  direction: string;
  memory: string;
  calls: string[];
  ops: string[];
  source: SourceView | null;
  /** The library that `source` is in; null for the user's own. */
  library: string | null;
  /** The frames around `source`, from the inside out. */
  callers: SourceView[];
  label: string | null;
  module: string | null;
  count: number;
  blocking: number;
  per_step: number[];
  /** Empty where it was left out, as `per_step` is then. */
  wait_per_step_us: number[];
  bytes: number;
  wait_us: number;
  wait_net_us: number;
  explained_us: number;
  /** The operators around its own, where no line, label or module is known. */
  op_before: string | null;
  op_after: string | null;
  /** The part of `explained_us` during which the device communicated and computed nothing. */
  communication_wait_us: number | null;
  starve_us: number;
  /** `wait_us` over the length of all steps, 0 to 1; null where it is longer: calls began before them, or
   * waited on several threads. */
  share_of_steps: number | null;
  /** How long its copies took on the device. */
  device_us: number | null;
  /** The part of `device_us` during which the device computed nothing. */
  exposed_us: number | null;
  bytes_per_s: number | null;
  /** How the line asked for its copies, where that was recorded. */
  non_blocking: boolean | null;
  findings: FindingRow[];
  instance: InstanceView | null;
}

export interface PredictedRow {
  file: string;
  line: number;
  function: string;
  /** The statement itself; "" where it was not recorded. */
  code: string;
  rule: string;
  /** What the rule says is the case. */
  title: string;
  /** What the line does, in a few words. */
  why: string;
  /** What to do, in the imperative and without its full stop. */
  action: string;
  how: string;
  /** What it does on a GPU, and how often; the time of that nobody knows. */
  worth: string;
  per_step: number;
  known: "seen" | "read";
  fingerprint: string;
}

export interface HealthRow {
  code: string;
  severity: "info" | "warning" | "error";
  message: string;
}

export interface NotCheckedRow {
  rule: string;
  reason: string;
}

export interface EnvironmentRow {
  name: string;
  value: string;
}

export interface DeviceBar {
  computing_us: number;
  /** Communication with no computing beside it; it may be waiting for another rank. */
  communication_us: number;
  /** Nothing but copying. */
  copying_us: number;
  idle_us: number;
}

export interface HostBar {
  launching_us: number;
  waiting_us: number;
  loading_us: number;
  other_us: number;
}

export interface PlaceRow {
  text: string;
  /** The wait that let it happen, if another place than its own is to blame; else "". */
  because: string;
  /** The site to change: the one that drained the queue, else the one after which it was dry. */
  site: number | null;
  share_of_cause: number;
}

export interface CauseRow {
  cause: string;
  name: string;
  idle_us: number;
  share_of_step: number;
  /** Most idle first. */
  places: PlaceRow[];
}

export interface WayRow {
  /** What, where, and how much of that time. */
  text: string;
  findings: FindingRow[];
  saves: SavingView;
}

export interface ActionRow {
  /** What to do, in the imperative; may hold `code`. */
  title: string;
  /** One sentence. */
  how: string;
  finding: FindingRow;
  /** Findings of the same rule in other places, or waits that hide one another with it. */
  others: FindingRow[];
  /** What a row of the fix plan adds to those above it; without an estimate its ceiling counts. */
  saves: SavingView;
  /** What it saves, in words. */
  worth: string;
  /** How sure that is, in words. */
  bounds: string;
  /** Whether the replay judges it, together with the other rows of the fix plan. */
  is_planned: boolean;
  /** Share of a step, 0 to 1: its estimate, else its ceiling. */
  share: number;
  /** The severity by that share alone. */
  severity: "critical" | "high" | "medium" | "low" | "info";
  /** Other changes that win back the same time. */
  ways: WayRow[];
}

export interface SeverityRow {
  severity: "critical" | "high" | "medium" | "low" | "info";
  /** The share of a step from which a saving is of this class. */
  text: string;
}

export interface StepStack {
  name: string;
  cold: boolean;
  duration_us: number;
  computing_us: number;
  communication_us: number;
  copying_us: number;
  /** One entry for each of the window's causes. */
  idle_us: number[];
}

export interface TrustRow {
  state: "ok" | "info" | "warning" | "error" | "unknown";
  title: string;
  /** "" if there is none. */
  figure: string;
  detail: string;
}

export interface GpuUseRow {
  title: string;
  figure: string;
  /** What it can and can't say. */
  about: string;
}

export interface CodeRow {
  kind: "label" | "module" | "function";
  /** "" for device work that was launched inside none. */
  name: string;
  host_us: number;
  device_us: number;
  /** Share of the time in which a device did something, 0 to 1. */
  share_of_device: number;
  launches: number;
  /** How many parts that do the same it stands for; `name` is then theirs without the number. */
  count: number;
}

export interface OverviewView {
  /** The GPU is hardly ever idle, and no finding is worth a change. */
  nothing_to_fix: boolean;
  steady_steps: number;
  /** Null where the window has no steps. */
  step_us: number | null;
  /** Null where it is not known, or steps vary too much to compare it with the recorded ones. */
  unprofiled_step_us: number | null;
  /** What the first action saves; null where another recording comes before it. */
  headline: SavingView | null;
  /** Whether another recording is to be made before any change. */
  records_first: boolean;
  /** The step over the step after the first action, by the estimate. */
  speedup: number | null;
  /** Null where no device was recorded, or by a version that kept less. */
  device: DeviceBar | null;
  host: HostBar | null;
  /** In the order in which they are stacked; causes that took nothing are left out. */
  causes: CauseRow[];
  /** What all rows of the fix plan save together, under the ceiling of all waits. */
  saving: SavingView | null;
  /** Over all causes, most worth first; one site has the number of its first row on every screen. */
  actions: ActionRow[];
  /** What the signs of the actions mean, worst first. */
  severities: SeverityRow[];
  /** What the rows of the fix plan add that are too small for an action; "" if nothing that shows. */
  smaller: string;
  /** What limits a step once the plan is done; "" if there is none. */
  next_limit: string;
  /** Findings of which nobody can say what they are worth. */
  unknown: FindingRow[];
  /** Real, and not worth it. */
  leave: FindingRow[];
  stacks: StepStack[];
  trust: TrustRow[];
  /** Where the device's time goes, and how near to its limit; "" where no device was recorded. */
  computing: string;
  /** None where no kernel was recorded, or by a version that kept less. */
  gpu_use: GpuUseRow[];
  /** The time that these figures are of. */
  gpu_use_scope: string;
  code: CodeRow[];
}

export interface CollectiveRow {
  kind: string;
  /** Name of the process group, else its ranks. */
  group: string | null;
  ranks: string | null;
  group_size: number | null;
  dtype: string | null;
  count: number;
  /** The bytes of all of them, as the next one. */
  bytes_in: number | null;
  bytes_out: number | null;
  /** The larger side of one message; null where they differ, too. */
  message_bytes: number | null;
  total_us: number;
  /** Within the steps, with no computing beside it; null for those of the host. */
  exposed_us: number | null;
  shortest_us: number;
  longest_us: number;
  /** Known only with the other ranks, as the next one. */
  transfer_us: number | null;
  arrival_wait_us: number | null;
  algorithm_gb_s: number | null;
  bus_gb_s: number | null;
  /** `device` or `host`. */
  on: string;
}

export interface PeerRow {
  source: number;
  destination: number;
  count: number;
  bytes: number | null;
}

export interface CommunicationView {
  sentence: string;
  /** "" if there is nothing to add. */
  detail: string;
  /** The columns that lack something, and why; "" if none does. */
  not_recorded: string;
  /** Time of a mean step and device, as the next one; null where no device is known. */
  exposed_us: number | null;
  overlapped_us: number | null;
  /** Most exposed first, those of the host last. */
  rows: CollectiveRow[];
  /** Sends and receives by pair of ranks. */
  peers: PeerRow[];
}

export interface WindowView {
  run: string;
  worker: string;
  window: string;
  rank: number | null;
  world_size: number | null;
  devices: string[];
  era: string;
  span_us: number;
  num_events: number;
  /** The kind of page: with findings, with sites only, nothing found, no GPU recorded. */
  state: "findings" | "sites" | "clean" | "no_device";
  verdict: string;
  /** A second sentence, "" if there is nothing to add. */
  detail: string;
  /** What the figures of all views are of, where much of what was recorded is not in the file; else "". */
  scope: string;
  /** What to change first, where, and what it saves; "" if nothing is worth it. */
  first_action: string;
  steps: StepRow[];
  /** Whether the trace marks steps; else the whole window stands as one. */
  marks_steps: boolean;
  /** Median of the steps that are not cold; null where the window has no steps. */
  median_step_us: number | null;
  total_steps_us: number;
  sync_points: SyncView;
  copies: CopyRow[];
  idle: IdleView | null;
  savings: SavingView | null;
  calibrated: boolean;
  sites: SiteRow[];
  /** Only where no GPU was recorded; the line to change first comes first. */
  predicted: PredictedRow[];
  /** Title of the list of the Overview's actions: something else may come before them. */
  actions_title: string;
  /** Whether these are to be changed before the actions of the Overview. */
  predicted_first: boolean;
  health: HealthRow[];
  /** The worst of all that the Overview lists for and against the figures. */
  worst_health: "ok" | "info" | "warning" | "error";
  not_checked: NotCheckedRow[];
  environment: EnvironmentRow[];
  overview: OverviewView;
  /** Null where nothing was said to another rank. */
  communication: CommunicationView | null;
  /** Whether the trace holds what allocators did. */
  records_memory: boolean;
}

export interface Progress {
  /** Bytes of the file as it lies on disk. */
  read_bytes: number;
  total_bytes: number;
  elapsed_s: number;
  /** Traces that are read before this one. */
  ahead: number;
}

export interface Problem {
  title: string;
  what: string;
  what_to_do: string;
  path: string;
}

export interface WindowAnswer {
  state: "ready" | "reading" | "broken";
  window: WindowView | null;
  progress: Progress | null;
  problem: Problem | null;
}

export interface SourceFunction {
  name: string;
  /** Its first one that is marked. */
  line: number;
  saving: SavingView | null;
}

export interface CodeBlock {
  first_line: number;
  lines: string[];
}

export interface EditRow {
  line: number;
  /** "" where `after` is a new line in front of it. */
  before: string;
  /** "" where the line goes. */
  after: string;
}

export interface Remark {
  finding: FindingRow;
  /** Its place in the fix plan, from 1 on. */
  number: number | null;
  /** The change of the program's own lines, where it is mechanical. */
  edits: EditRow[];
}

export interface LineMark {
  line: number;
  kind: "line" | "def" | "candidate" | "caller" | "predicted" | "call";
  function: string;
  /** The saving of its sites, or of those in the function it calls; a change at several lines is shared out
   * among them by their waits. */
  saving: SavingView | null;
  /** "" if there is nothing to say. */
  note: string;
  /** Indexes into the window's sites. */
  sites: number[];
  /** The numbers of the changes in the fix plan that it is part of. */
  numbers: number[];
  remarks: Remark[];
}

export interface SourceFile {
  path: string;
  /** "" for the user's own code. */
  library: string;
  saving: SavingView | null;
  findings: number;
  /** Most saved first. */
  functions: SourceFunction[];
  /** Ascending; none where none was recorded. */
  code: CodeBlock[];
  /** Ascending. */
  marks: LineMark[];
}

export interface SitePlace {
  site: number;
  file: number;
  line: number;
}

export interface SourceFilesView {
  /** Most saved first. */
  files: SourceFile[];
  places: SitePlace[];
  /** Findings that no line shows: they are about the window, its steps, or sites without a line. */
  elsewhere: FindingRow[];
  /** Where the code comes from, or why there is none. */
  about: string;
  /** The commit of the checkout that the program was started in; null where it was not recorded. */
  commit: string | null;
}

export interface SourceAnswer {
  state: "ready" | "reading" | "broken";
  source: SourceFilesView | null;
  problem: Problem | null;
}

export interface SeriesCause {
  cause: string;
  name: string;
  idle_us: number;
}

export interface SiteKeys {
  /** The same for sites that do the same in one function. */
  kind: string;
  /** The same for one line alone, where its text was recorded. */
  line: string;
  /** Else it can be missing from a window by chance. */
  is_in_each_step: boolean;
}

export interface PlannedFix {
  /** Rule and place. */
  name: string;
  sites: SiteKeys[];
  floor_us: number;
  ceiling_us: number;
}

export interface Plan {
  commit: string | null;
  /** What the program works on: batches, parameters, devices; "" where the hook saw none of the former. */
  work: string;
  fixes: PlannedFix[];
  /** All of the window. */
  sites: SiteKeys[];
  /** A median step without the profiler. */
  step_us: number | null;
  /** The distance of the median to the farther quartile; None of too few steps. */
  spread_us: number | null;
}

export interface WindowFigures {
  /** The rank as the trace itself has it. */
  rank: number | null;
  steps: number;
  /** The trainer's own number of the first step. */
  first_step: number | null;
  step_us: number | null;
  unprofiled_step_us: number | null;
  /** With nothing computed beside it, as a mean over the devices. */
  communication_us: number | null;
  idle_share: number | null;
  causes: SeriesCause[];
  sync_points: number;
  wait_us: number;
  /** The longest by which the GPU ends a step after the host. */
  gpu_lag_us: number | null;
  /** Host to device, a step. */
  uploaded_bytes: number;
  /** What removing waits saves of a step, by the estimate. */
  could_save_us: number | null;
  /** The share of the time in which a kernel ran; a mean over the devices, as the next two. */
  utilization: number | null;
  sm_efficiency: number | null;
  occupancy: number | null;
  world_size: number | null;
  git_commit: string | null;
  /** Whether only a part of the trace could be read. */
  is_damaged: boolean;
  /** What a later window is compared with; no screen shows it. */
  plan: Plan | null;
}

export interface SeriesRow {
  worker: string;
  rank: number | null;
  window: string;
  /** Its place in line among the windows of its worker, from 1 on. */
  number: number;
  state: "ready" | "reading" | "broken";
  figures: WindowFigures | null;
  /** Why there are no figures; "" where there are, or will be. */
  problem: string;
}

export interface FigureSpread {
  figure: "step_us" | "communication_us" | "idle_share" | "wait_us";
  least: number;
  median: number;
  most: number;
}

export interface RanksView {
  verdict: string;
  detail: string;
  /** A sentence about ranks that were not recorded; "" if none is missing. */
  missing: string;
  /** A sentence about ranks of whose traces only a part could be read; "" if there is none. */
  damaged: string;
  /** The rows by rank; of many ranks those that stand out, or those that were asked for. */
  rows: SeriesRow[];
  /** The number of all ranks, in `rows` or not. */
  total: number;
  /** The number of all ranks that are still to be read. */
  reading: number;
  /** Over all ranks; empty while some are to be read, and where all are in `rows`. */
  spreads: FigureSpread[];
}

export interface TrendView {
  verdict: string;
  detail: string;
  /** Oldest first. */
  rows: SeriesRow[];
  /** Older windows that are not shown. */
  left_out: number;
}

export interface IdlePart {
  cause: string;
  name: string;
  idle_us: number;
}

export interface RankRole {
  sentence: string;
  /** What to do first; "" on a rank that waits for another. */
  order: string;
  /** The rules that answer the cause: what one of them found in the window is what to do first. */
  answered_by: string[];
  /** The rules that look for the late rank: there is nothing left to find on it. */
  answered: string[];
  /** Index into `ranks`: the late one; null on that itself. */
  opens: number | null;
}

export interface JobRank {
  rank: number | null;
  worker: string;
  /** The name in sentences and tables: its number, else its worker. */
  name: string;
  step_us: number | null;
  computing_us: number | null;
  communication_exposed_us: number | null;
  copying_us: number | null;
  /** In the order of the other screens. */
  idle: IdlePart[];
  /** Time of its matched collectives, covered by computing or not; with the next one their whole time. Null
   * where none of them is matched, as the next three. */
  transfer_us: number | null;
  arrival_wait_us: number | null;
  /** How late it was, in the collectives in which it was the latest. */
  late_us: number | null;
  /** Matched collectives of the whole window in which it was the late one. */
  latest_in: number | null;
  /** What was subtracted from its times to draw it; null where no collective tells. Not of a step. */
  clock_offset_us: number | null;
  clock_error_us: number | null;
  /** Null where no rank is late by so much that it comes before all else. */
  role: RankRole | null;
}

export interface RankWait {
  /** Index into `ranks`, as the next one. */
  waiting: number;
  /** Null: nobody was late by more than noise. */
  awaited: number | null;
  wait_us: number;
}

export interface JobSource {
  file: string;
  /** Not `exact`: that of the `def`. */
  line: number;
  function: string;
  exact: boolean;
}

export interface LateCause {
  /** Index into `ranks`. */
  rank: number;
  /** The ranks that came together with it. */
  also_late: number[];
  sentence: string;
  /** Indexes into `steps`. */
  steps: number[];
  /** How late it was in these, over all steps of the window. */
  late_us: number;
  /** The part of that which is due to the cause. */
  due_us: number;
  kind: "computing" | "idle" | "copying" | "communication";
  /** The cause of idle; "" else. */
  cause: string;
  /** In a few words, as `Waiting for data` or `Computes more`. */
  cause_name: string;
  /** The code, the op or the other group, in short; "" where nothing tells. */
  place: string;
  source: JobSource | null;
  /** The op where the cause is computing, as the next one its module. */
  op: string;
  module: string;
  /** Null where the cause is no computing. `slower`: the same work in longer kernels. */
  computing: "more" | "slower" | "unknown" | null;
  /** How many times as large as the others' the inputs of its ops are; null where it does not compute more,
   * and without shapes. */
  inputs: number | null;
  /** Another cause, to which nearly as much is due; "" where there is none. */
  near: string;
}

export interface JobFix {
  /** Index into `late`. */
  cause: number;
  title: string;
  detail: string;
  floor_us: number;
  estimate_us: number;
  ceiling_us: number;
}

export interface JobFinding {
  rule: string;
  title: string;
  severity: "critical" | "high" | "medium" | "low" | "info";
  sentence: string;
  /** Index into `late`; null where it is about none. */
  cause: number | null;
}

export interface WhatIf {
  /** The step by the replay of what was recorded. */
  step_us: number;
  /** Without what made the late ranks late. */
  without_us: number;
  /** With every rank's stretch the median. */
  ideal_us: number;
  /** What is gained at the least without the causes, as the next one at the most. */
  floor_us: number;
  ceiling_us: number;
  /** With every rank computing as long as the mean, in steps in which one computed more than the others;
   * null without any, as the next two. */
  balanced_us: number | null;
  /** What is gained by that at the least, as the next one at the most. */
  balance_floor_us: number | null;
  balance_ceiling_us: number | null;
  /** Error of the replay, a share of the recorded time. */
  error: number;
}

export interface JobStep {
  /** Its number, as the profiler has it. */
  step: number;
  /** Index into `ranks`; null: nobody. */
  late_rank: number | null;
  /** Index into `late`. */
  cause: number | null;
  late_us: number;
  /** Waiting of all ranks in all collectives of the step. */
  wait_us: number;
  latest_in: number;
  collectives: number;
  /** In the median of the ranks, as the replay has it; null without an estimate, as the next ones. */
  recorded_us: number | null;
  without_us: number | null;
  ideal_us: number | null;
}

export interface JobMeeting {
  kind: string;
  /** "" where it was not recorded. */
  group: string;
  bytes: number | null;
  /** Index into `steps`. */
  step: number;
  ranks: number;
  /** On the common axis: all leave it together. */
  end_us: number;
  transfer_us: number;
  /** Between the first and the last to arrive: the longest row less the shortest. No clock takes part. */
  skew_us: number;
  /** Waiting of all ranks. */
  wait_us: number;
  /** Index into `ranks`; null: nobody. */
  late_rank: number | null;
  late_us: number;
}

export interface StripStep {
  /** Index into `steps`. */
  step: number;
  /** End of the rank's last collective in it, where its next step begins. */
  end_us: number;
}

export interface StripStretch {
  /** Index into `meetings`; null: not matched. */
  meeting: number | null;
  /** Where the stretch begins: the end of the rank's collective before, or the begin of its window. */
  begin_us: number;
  /** Start of the collective; the next one is its end. */
  start_us: number;
  end_us: number;
  /** The first part of the collective; the rest is transfer. 0 of one that was not matched. */
  wait_us: number;
  /** What the rank did between `begin_us` and `start_us`, as the next ones; they fill it. */
  computing_us: number;
  communication_us: number;
  copying_us: number;
  idle: IdlePart[];
}

export interface RankStrip {
  /** Index into `ranks`. */
  rank: number;
  begin_us: number;
  steps: StripStep[];
  /** In the order of their start. */
  stretches: StripStretch[];
}

export interface JobCollective {
  kind: string;
  group: string;
  bytes: number | null;
  count: number;
  ranks: number;
  /** Time of all ranks, as the next two: transfers and arrival waits are all of it. */
  total_us: number;
  transfer_us: number;
  arrival_wait_us: number;
  /** The shortest transfer. */
  shortest_us: number;
  /** Mean time between the first and the last to arrive. */
  skew_us: number;
  /** The rate of the transfer alone, as the next one. */
  algorithm_gb_s: number | null;
  bus_gb_s: number | null;
  /** Index into `ranks`: who was late most often. */
  latest: number | null;
  latest_in: number;
}

export interface UnmatchedGroup {
  group: string;
  /** Number of collectives, counted on all ranks. */
  count: number;
  sentence: string;
}

export interface RankProblem {
  rank: number | null;
  worker: string;
  sentence: string;
}

export interface JobPage {
  /** One sentence. */
  verdict: string;
  /** What stands beside it; "" for nothing. */
  detail: string;
  /** What to know before the figures are trusted. */
  notes: string[];
  /** Step of the job, in the median of the ranks. */
  step_us: number | null;
  /** The part of all ranks' communication that is waiting for the last to arrive. */
  waiting_share: number | null;
  matched: number;
  unmatched: number;
  /** Where the collectives ran; on the host computing is ops, and idle is Python. */
  on: "device" | "host";
  /** The ranks, in the order of their numbers. */
  ranks: JobRank[];
  /** Longest first. */
  waits: RankWait[];
  /** Latest first. */
  late: LateCause[];
  /** The one that pays most first. Each is of other steps, so that they add up. */
  plan: JobFix[];
  findings: JobFinding[];
  what_if: WhatIf | null;
  steps: JobStep[];
  /** The meetings by step and end; at most `MOST_MEETINGS`, those of the first steps. */
  meetings: JobMeeting[];
  /** The strips of the latest ranks, at most `MOST_STRIPS`; in the order of `ranks`. */
  strips: RankStrip[];
  /** The collectives, those first that take longest. */
  collectives: JobCollective[];
  unmatched_groups: UnmatchedGroup[];
  /** Numbers of ranks that have no window here; empty where as many windows tell no number, else theirs are
   * among them. */
  missing: number[];
  problems: RankProblem[];
}

export interface JobAnswer {
  /** `reading`: some windows are still being read; the page is of the others. */
  state: "ready" | "reading";
  /** How many are read; "" when all are. */
  sentence: string;
  /** The number of the window of every worker, from 1 on. */
  window: number;
  /** How many windows the worker with most of them has. */
  windows: number;
  /** Null while no window is read. */
  page: JobPage | null;
}

export interface StepTimes {
  /** One by one where they were recorded; of unprofiled ones only the three below are kept. */
  steps_us: number[];
  /** Their median. */
  middle_us: number;
  low_us: number | null;
  /** The usual distance to the median at both sides of it for recorded steps, the quartiles for unprofiled
   * ones; null of a single step. */
  high_us: number | null;
  text: string;
}

export interface CompareSteps {
  is_unprofiled: boolean;
  before: StepTimes;
  after: StepTimes;
  /** A sentence: by how much they differ, and from where on that is more than noise. */
  text: string;
}

export interface ComparedCause {
  cause: string;
  name: string;
}

export interface CompareBar {
  step_us: number;
  device: DeviceBar;
  /** One entry for each of the causes of both windows. */
  idle_us: number[];
}

export interface CompareBars {
  /** In the order in which they are stacked; causes that took nothing on both sides are left out. */
  causes: ComparedCause[];
  longest_us: number;
  /** Null where no device was recorded. */
  before: CompareBar | null;
  after: CompareBar | null;
}

export interface CompareFigure {
  name: string;
  /** A time is in us, a share from 0 to 1. */
  kind: "time" | "count" | "share";
  /** Whether it is a part of the nearest figure above it that is none. */
  is_part: boolean;
  before: number | null;
  after: number | null;
  change: number | null;
  /** The change as a share of the figure before; null where that is nothing. */
  change_share: number | null;
  /** What a change of it says; "" where its name says it. */
  means: string;
  /** Whether it changed for the better by more than can be nothing; "" where neither can be said. */
  judged: "better" | "worse" | "";
}

export interface Difference {
  name: string;
  before: string;
  after: string;
}

export interface CompareSite {
  state: "gone" | "new" | "changed" | "same";
  location: string;
  /** Where its line moved from; "" if it did not. */
  before_location: string;
  what: string;
  /** Its line as it ran; "" where that was not recorded. */
  code: string;
  before_wait_us: number | null;
  after_wait_us: number | null;
  /** How long the GPU had nothing to do after it. */
  before_starve_us: number | null;
  after_starve_us: number | null;
  before_count: number;
  after_count: number;
  /** What became of its wait; "" if there is nothing to say. */
  note: string;
  /** Index into the sites of the window after; null if it is gone. */
  site: number | null;
}

export interface CompareView {
  verdict: string;
  detail: string;
  /** What the figures of each side are of whose file lacks much of what was recorded. */
  scopes: string[];
  /** The steps by each clock that timed both windows; the first one decides. None where one has no steady
   * step. */
  steps: CompareSteps[];
  /** Null where no device was recorded on either side. */
  bars: CompareBars | null;
  figures: CompareFigure[];
  differences: Difference[];
  /** What else was recorded on both sides; "" if nothing. */
  alike: string;
  /** Gone, new, changed, same; in each the longest waits first. */
  sites: CompareSite[];
}

export interface CompareAnswer {
  state: "ready" | "reading" | "broken";
  view: CompareView | null;
  problem: Problem | null;
}

export interface FindingText {
  fingerprint: string;
  markdown: string;
}

export interface Note {
  /** ISO 8601, in UTC. */
  at: string;
  /** A person, an agent, or tbprof itself. */
  by: string;
  kind: string;
  text: string;
  /** The lines of the program that it is about, as they are written there, without their indent. */
  code: string[];
}

export interface SessionView {
  verdict: string;
  detail: string;
  /** The newest first. */
  notes: Note[];
}

export interface RuleSection {
  title: string;
  /** Plain text; lines indented by four spaces are code. */
  text: string;
}

export interface GuideLink {
  guide: string;
  short: string;
  advice: string;
  url: string;
}

export interface RulePage {
  code: string;
  name: string;
  title: string;
  sections: RuleSection[];
  /** Guides that advise what the rule checks. */
  guides: GuideLink[];
  /** The same page on the site of the documentation. */
  url: string;
}

export interface ManualBlock {
  kind: "heading" | "text" | "item" | "code";
  /** The lines of code, else one line; code within it stands between backticks. */
  text: string;
}

export interface ManualEntry {
  name: string;
  title: string;
  summary: string;
}

export interface ManualPage {
  name: string;
  title: string;
  /** What stands below the title. */
  blocks: ManualBlock[];
  /** The whole manual, in reading order. */
  pages: ManualEntry[];
}

export interface CauseName {
  cause: string;
  name: string;
}

export interface StepMark {
  name: string;
  start_ns: number;
  duration_ns: number;
  cold: boolean;
}

export interface LaneRow {
  kind: "idle" | "use" | "communication" | "stream" | "queue" | "episodes" | "main" | "autograd" | "thread";
  device: number | null;
  stream: number | null;
  /** The name of a thread. */
  name: string;
  /** What each line holds: `idle`, `work`, `depth`, `episode`, `label`, `frame`, `op`, `call`, `other`. */
  lines: string[];
  /** The most that was queued, on a queue's lane. */
  peak: number;
}

export interface SiteMark {
  count: number;
  wait_us: number;
}

export interface TimelineView {
  span_ns: number;
  /** At which one tile holds the whole window. */
  highest_level: number;
  tile_buckets: number;
  /** What the numbers of kinds in a tile mean. */
  kinds: string[];
  causes: CauseName[];
  steps: StepMark[];
  /** The lanes, from the top. */
  lanes: LaneRow[];
  sites: SiteMark[];
  main_device: number | null;
}

export interface TimelineAnswer {
  state: "ready" | "reading" | "gone" | "broken";
  timeline: TimelineView | null;
  progress: Progress | null;
  problem: Problem | null;
}

export interface GapRow {
  start_ns: number;
  end_ns: number;
  /** The cause of most of it. */
  cause: string;
  idle_us: number;
  place: string;
  /** During whose wait the device ran dry. */
  site: number | null;
}

export interface StepCauseRow {
  cause: string;
  name: string;
  idle_us: number;
  pieces: number;
  /** The longest piece of a gap that has this cause. */
  longest_us: number;
  /** The gap that holds it. */
  around: GapRow;
}

export interface EpisodeMark {
  number: number;
  site: number;
  start_ns: number;
  end_ns: number;
  blocking: boolean;
}

export interface TimelineStep {
  index: number;
  duration_us: number;
  /** Null without a device. */
  idle_us: number | null;
  idle_share: number | null;
  /** Until the work that it launched had ended. */
  end_ns: number;
  causes: StepCauseRow[];
  /** The longest, longest first. */
  gaps: GapRow[];
  episodes: EpisodeMark[];
}

export interface LinkRow {
  from_ns: number;
  from_lane: number;
  from_line: number;
  to_ns: number;
  to_lane: number;
  to_line: number;
}

export interface SelectionView {
  /** The kind as in a tile; `gap` for a gap. */
  kind: string;
  /** The name of a row; else "". */
  name: string;
  start_ns: number;
  end_ns: number;
  duration_us: number;
  lane: number | null;
  line: number | null;
  step: number | null;
  into_step_us: number | null;
  site: number | null;
  sentence: string;
  /** The direction of a copy, with its memory; else "". */
  direction: string;
  memory: string;
  copy_us: number | null;
  copy_bytes: number | null;
  /** How much was queued on the busiest device when it began; null where that is not known. */
  queued: number | null;
  /** The gap that followed from it, or that it is. */
  gap: GapRow | null;
  links: LinkRow[];
}

export interface FoundView {
  row: number | null;
  /** Its place among all, from 1 on. */
  number: number;
  total: number;
  start_ns: number;
  end_ns: number;
}

export interface CheckRow {
  rule: string;
  name: string;
  /** What is the case where it fails. */
  title: string;
  /** In words, such as `Input pipeline`. */
  family: string;
  /** `predicted`: no GPU was recorded, and lines were seen for which it would fail on one. */
  state: "passed" | "failed" | "predicted" | "not_checked" | "not_applicable";
  /** The severity of a failed one. */
  severity: "critical" | "high" | "medium" | "low" | "info" | null;
  /** The evidence in a sentence: what was found, what was looked at, or why nobody could look. */
  said: string;
  /** What to do about a failed or predicted one, in the imperative. */
  action: string;
  /** How many it has; of a predicted one how many lines. */
  findings: number;
  /** The saving of a step: all places together, or the worst where they are sites, which can hide one
   * another. */
  saving: SavingView | null;
  /** Why a failed or predicted one has none; "" if it has. */
  no_saving: string;
  /** The sites of its worst finding. */
  sites: number[];
  /** The guides that advise what a failed or predicted one checks. */
  guides: GuideLink[];
}

export interface MissingRecording {
  what: string;
  /** To be copied; "" if there is none. */
  code: string;
  rules: string[];
}

export interface ChecksView {
  sentence: string;
  /** Failed ones first, by worth, then predicted ones; of equal ones by family and code. */
  rows: CheckRow[];
  /** Whether savings are those of a step; else of the window. */
  marks_steps: boolean;
  /** What makes most rules checkable first; a rule with two needs is listed under each. */
  missing: MissingRecording[];
}

export interface IcicleChoice {
  kind: "function" | "operator" | "module" | "label";
  /** Why it is not offered; "" where it is. */
  missing: string;
}

export interface IcicleNode {
  /** "" of the root, and of what was folded. */
  name: string;
  /** Index of a node before this one; null of the root. */
  parent: number | null;
  /** The calls that began in a step; 0 for what had begun before the steps. */
  calls: number;
  /** With what lies inside it, as the one below. */
  host_us: number;
  device_us: number;
  /** How many nodes it stands for; 0 of a node that is none but itself. */
  folded: number;
  /** Code of the user's own: no library's, no operator. */
  is_own: boolean;
}

export interface IcicleView {
  kind: "function" | "operator" | "module" | "label";
  kinds: IcicleChoice[];
  /** The number of steps that the times are means of. */
  steps: number;
  /** Whether the trace marks steps; else the whole window stands as one. */
  marks_steps: boolean;
  has_device: boolean;
  /** What most of the host's time lies in; "" without nodes. */
  host_sentence: string;
  device_sentence: string;
  /** The root first; none where nothing that can be nested was recorded. */
  nodes: IcicleNode[];
}

export interface IcicleAnswer {
  state: "ready" | "reading" | "gone" | "broken";
  icicle: IcicleView | null;
  progress: Progress | null;
  problem: Problem | null;
}

export interface MemoryStep {
  name: string;
  start_ns: number;
  end_ns: number;
}

export interface MemoryDevice {
  /** `CPU`, `GPU 0`, ... */
  device: string;
  /** Whether the allocator said its totals; else the curve is what came on top of its lowest moment. */
  is_recorded: boolean;
  events: number;
  /** Allocated. */
  peak_bytes: number;
  peak_ns: number;
  /** The most; null where the allocator keeps no cache, or did not say. */
  reserved_bytes: number | null;
}

export interface MemoryLine {
  from_ns: number;
  to_ns: number;
  at_ns: number[];
  low_bytes: number[];
  high_bytes: number[];
  reserved_bytes: number[] | null;
}

export interface MemoryHolder {
  /** The outermost one; null of what no operator allocated. */
  operator: string | null;
  module: string | null;
  /** With `line` and `function`, the innermost function of the user's; null where no stacks are recorded. */
  file: string | null;
  line: number | null;
  function: string | null;
  bytes: number;
  blocks: number;
  /** The share of what was allocated. */
  share: number;
}

export interface MemoryMoment {
  at_ns: number;
  is_peak: boolean;
  /** Null outside the steps, and where none are marked. */
  step: string | null;
  allocated_bytes: number;
  reserved_bytes: number | null;
  /** The bytes that were there before the recording; null where addresses or totals are not recorded. */
  before_bytes: number | null;
  /** The largest first; not all of them. None where addresses are not recorded. */
  holders: MemoryHolder[];
  more_holders: number;
  /** The bytes of the holders that are not among them. */
  more_bytes: number;
}

export interface MemoryView {
  /** Why there is nothing to show; "" where there is. */
  missing: string;
  headline: string;
  about: string;
  span_ns: number;
  steps: MemoryStep[];
  /** GPUs first, the CPU last. */
  devices: MemoryDevice[];
  /** The one that the rest is of. */
  device: string;
  line: MemoryLine | null;
  moment: MemoryMoment | null;
}

export interface MemoryAnswer {
  state: "ready" | "reading" | "gone" | "broken";
  memory: MemoryView | null;
  progress: Progress | null;
  problem: Problem | null;
}

export interface MemoryFileRow {
  /** The name of the file, by which it is asked for. */
  name: string;
  /** What it tells of. */
  title: string;
  /** Memory ran out. */
  is_failure: boolean;
}

export interface MemoryFilesView {
  files: MemoryFileRow[];
}

export interface MemoryStack {
  kinds: string[];
  /** Since the step began; what is held then holds until the next one. */
  at_us: number[];
  /** The bytes of each kind, at each of these instants. */
  held_bytes: number[][];
}

export interface MemoryPartRow {
  /** The name as it is: a kind, a module, or a place in the code. */
  name: string;
  /** How many blocks or tensors; None where that is not known. */
  number: number | null;
  bytes: number;
  /** The share of all that is held; None where a row is part of another. */
  share: number | null;
}

export interface MemoryPart {
  title: string;
  sentences: string[];
  /** A list of what can be done, or of where it happened. */
  points: string[];
  /** What the rows' numbers count, such as "Blocks"; "" where there are none. */
  counted: string;
  rows: MemoryPartRow[];
}

export interface MemoryDocument {
  headline: string;
  stack: MemoryStack | null;
  parts: MemoryPart[];
}

export interface RunPartRow {
  part: string;
  name: string;
  /** A mean over the processes. */
  us: number;
  /** The share of the wall time, 0 to 1. */
  share: number;
  /** The GPU-hours of all processes; null without a GPU. */
  gpu_h: number | null;
  /** How often, in all processes; of steps all of them. */
  count: number;
}

export interface RunPauseRow {
  /** The name of its part. */
  name: string;
  /** Since the start of the first process of its rank. */
  at_us: number;
  us: number;
  step: number;
  place: string;
  rank: number | null;
}

export interface StepLength {
  below_us: number;
  steps: number;
}

export interface RunTimeView {
  /** "" where the hook left nothing of it. */
  headline: string;
  sentences: string[];
  /** Whether it loses more than the windows show, so that it is said before them. */
  comes_first: boolean;
  /** May hold `code`. */
  advice: string[];
  wall_us: number;
  step_us: number | null;
  /** The share of the wall time that was steps at their usual length, 0 to 1. */
  goodput: number;
  parts: RunPartRow[];
  /** The longest, in the order of their time. */
  pauses: RunPauseRow[];
  lengths: StepLength[];
  problems: string[];
}

export interface EqualParts {
  count: number;
  least_us: number;
  median_us: number;
  most_us: number;
  /** The one that lies apart from the others; null where none does. */
  odd: string | null;
  odd_us: number | null;
}

export interface ModuleKernel {
  /** Whole. */
  name: string;
  short_name: string;
  calls: number;
  time_us: number;
}

export interface ModuleNode {
  kind: "module" | "loss" | "optimizer" | "compiled" | "graph" | "communication" | "before" | "between" | "gradients" | "after" | "outside";
  /** Within its parent, `layers.0-31` of equal layers; "" of the root. */
  name: string;
  /** "" of what is no module. */
  class_name: string;
  /** Index of a node before this one; null of the root. */
  parent: number | null;
  /** In the forward pass, of all equal layers together. */
  calls: number;
  device_us: number | null;
  device_forward_us: number | null;
  /** With what autograd runs again, as activation checkpointing does. */
  device_backward_us: number | null;
  /** Without the nodes inside it: those of all nodes add up to the root's `device_us`. */
  device_own_us: number | null;
  host_us: number;
  host_forward_us: number;
  host_backward_us: number;
  host_own_us: number;
  launches: number | null;
  /** The idle of the busiest device, while the host was in it. */
  idle_us: number | null;
  /** In sync points inside it. */
  wait_us: number | null;
  /** Null of a node that stands for one part. */
  equal: EqualParts | null;
  /** `file(line): function` in which it is called; null where no stacks are recorded. */
  source: string | null;
  /** The kernels that it launched itself, the longest first; not all of them. */
  kernels: ModuleKernel[];
}

export interface ModulesView {
  /** The number of steps that the times are means of. */
  steps: number;
  /** Whether the trace marks steps; else the whole window stands as one. */
  marks_steps: boolean;
  has_device: boolean;
  /** A sentence on the parts that take most of the time. */
  headline: string;
  /** Why no module is named; "" where one is. There may be nodes all the same, such as the optimizer. */
  missing: string;
  /** The root first, then depth first; those of one parent in the order in which they first ran. */
  nodes: ModuleNode[];
}

export interface ModulesAnswer {
  state: "ready" | "reading" | "gone" | "broken";
  modules: ModulesView | null;
  progress: Progress | null;
  problem: Problem | null;
}

export interface Roof {
  /** A label such as "bfloat16, matrix units". */
  label: string;
  tflops: number;
  /** Where it meets the slope of the memory. */
  from_flops_per_byte: number;
}

export interface RooflinePoint {
  name: string;
  /** Shapes such as "[2, 3] x [3, 4]". */
  shapes: string;
  /** What it does, as "matrix products". */
  kind: string;
  /** The row of the trace: the first call, for its line and its place in the timeline. */
  row: number;
  calls: number;
  device_us: number;
  /** The share of the device's time. */
  share: number;
  /** 0 for one that only moves; it has no place on a logarithmic axis. */
  flops_per_byte: number;
  tflops: number;
  tb_s: number;
  /** Index into the roofs; null for a device that is not known. */
  roof: number | null;
  /** What its limit is; null where that is not known, as the next two. */
  bound: "memory" | "computing" | null;
  share_of_limit: number | null;
  above_limit_us: number | null;
}

export interface RooflineView {
  scope: "steps" | "trace";
  marks_steps: boolean;
  /** The name in the device's data sheet; null for a slice, or one that is not known: then there are points
   * only. */
  device: string | null;
  /** The source of its peaks; "" without. */
  source: string;
  /** The slope: TFLOP/s = TB/s x FLOPs a byte. */
  memory_tb_s: number | null;
  /** Highest first. */
  roofs: Roof[];
  sentence: string;
  /** Why there is no point; "" where there is one. */
  missing: string;
  device_us: number;
  covered_us: number;
  /** Most time first. */
  points: RooflinePoint[];
  /** The number of points that are not among them; together they take `more_us`. */
  more_points: number;
  more_us: number;
}

export interface RooflineAnswer {
  state: "ready" | "reading" | "gone" | "broken";
  roofline: RooflineView | null;
  progress: Progress | null;
  problem: Problem | null;
}

export interface TableChoice {
  by: string;
  /** Why it is not offered; "" where it is. */
  missing: string;
}

export interface TableColumn {
  key: string;
  head: string;
  /** What it holds; "" where the head says it all. */
  about: string;
  kind: "text" | "count" | "us" | "share" | "number" | "bytes" | "flag";
  /** Whether it is shown before anyone chose. */
  is_first: boolean;
  /** The texts of a column of the kind `text`; else null, and there are numbers, unless they are left
   * out. */
  texts: (string | null)[] | null;
  /** A flag is 0 or 1. */
  numbers: (number | null)[] | null;
  /** What each number is to be divided by: times come in ns, shares in millionths, as whole numbers are read
   * several times faster than others. */
  scale: number;
}

export interface DurationBin {
  from_us: number;
  below_us: number | null;
  calls: number;
  total_us: number;
}

export interface Histogram {
  short_below_us: number;
  short_calls: number;
  short_us: number;
  bins: DurationBin[];
}

export interface SequenceRow {
  /** Short names. */
  kernels: string[];
  count: number;
  /** Were each of them one launch. */
  saved_launches: number;
  total_us: number;
  /** The time from the end of one kernel to the start of the next. */
  between_us: number;
}

export interface TableView {
  table: string;
  by: string;
  scope: "steps" | "trace";
  /** Whether the trace marks steps, to which a table can be limited. */
  marks_steps: boolean;
  headline: string;
  about: string;
  choices: TableChoice[];
  /** The number of all rows; there may be more than are sent. */
  count: number;
  /** The columns in which something is known. Rows come by importance. */
  columns: TableColumn[];
  device_us: number | null;
  /** The part of the device's time that is in no row. */
  without_row_us: number | null;
  histogram: Histogram | null;
  sequences: SequenceRow[];
}

export interface TableAnswer {
  state: "ready" | "reading" | "gone" | "broken";
  view: TableView | null;
  progress: Progress | null;
  problem: Problem | null;
}

export interface RowPart {
  name: string;
  short_name: string;
  calls: number;
  device_us: number;
  /** The share of the row's device time. */
  share: number;
}

export interface RowCode {
  file: string;
  /** The line of its `def`, unless it is exact. */
  line: number | null;
  function: string;
  exact: boolean;
  calls: number;
  /** The time on the device; on the host where no device is recorded. */
  time_us: number;
}

export interface RowPlace {
  /** The row of the trace. */
  row: number;
  step: number | null;
  step_name: string;
  /** Since the first event of the window. */
  start_us: number;
  host_us: number | null;
  device_us: number | null;
}

export interface RowDetails {
  /** Whole. */
  name: string;
  shapes: string;
  /** Innermost frame first; empty where the table is by something else. */
  stack: string[];
  /** The largest first. */
  parts: RowPart[];
  /** The number of parts that are not among them. */
  more_parts: number;
  code: RowCode[];
  /** The median one, then the longest ones. */
  places: RowPlace[];
}
