// Printed by `python -m tbprof.views.typescript`; do not edit.

export interface WindowRow {
  window: string;
  has_report: boolean;
  size_bytes: number;
}

export interface WorkerRow {
  worker: string;
  rank: number | null;
  windows: WindowRow[];
}

export interface RunRow {
  run: string;
  workers: WorkerRow[];
}

export interface SkippedRow {
  path: string;
  reason: string;
}

export interface RunsView {
  logdir: string;
  tbprof_version: string;
  runs: RunRow[];
  newest_run: string | null;
  skipped: SkippedRow[];
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
}

export interface CopyRow {
  direction: string;
  memory: string;
  count: number;
  bytes: number;
  blocking: number;
  wait_us: number | null;
  device_us: number | null;
  exposed_us: number | null;
  bytes_per_s: number | null;
  best_bytes_per_s: number | null;
  remark: string;
}

export interface IdleView {
  device_us: number;
  empty_us: number;
  queued_us: number;
  share_of_steps: number;
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
  title: string;
  severity: "critical" | "high" | "medium" | "low" | "info";
  severity_reason: string;
  removal: "drop" | "defer" | "rewrite" | "needed";
  confidence: "high" | "medium" | "low";
  count: number;
  saving: SavingView | null;
  note: string;
  what: string;
  why: string;
  fix: FixView;
  fingerprint: string;
  sites: number[];
  place: string;
}

export interface SpanRow {
  kind: "launch" | "copy_call" | "sync_call" | "kernel" | "copy" | "memset";
  name: string;
  start_us: number;
  duration_us: number;
}

export interface InstanceView {
  step: string | null;
  op: SpanRow | null;
  host: SpanRow[];
  device: SpanRow[];
}

export interface SiteRow {
  index: number;
  what: string;
  direction: string;
  memory: string;
  calls: string[];
  ops: string[];
  source: SourceView | null;
  library: string | null;
  callers: SourceView[];
  label: string | null;
  module: string | null;
  count: number;
  blocking: number;
  per_step: number[];
  bytes: number;
  wait_us: number;
  wait_net_us: number;
  explained_us: number;
  starve_us: number;
  share_of_steps: number | null;
  device_us: number | null;
  exposed_us: number | null;
  bytes_per_s: number | null;
  non_blocking: boolean | null;
  findings: FindingRow[];
  instance: InstanceView | null;
}

export interface PredictedRow {
  file: string;
  line: number;
  function: string;
  code: string;
  rule: string;
  title: string;
  why: string;
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
  communication_us: number;
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
  because: string;
  site: number | null;
  share_of_cause: number;
}

export interface CauseRow {
  cause: string;
  name: string;
  idle_us: number;
  share_of_step: number;
  places: PlaceRow[];
}

export interface PlanRowView {
  finding: FindingRow;
  alone: SavingView;
  adds: SavingView;
  step_then_us: number;
  share_saved: number;
}

export interface StepStack {
  name: string;
  cold: boolean;
  duration_us: number;
  computing_us: number;
  communication_us: number;
  copying_us: number;
  idle_us: number[];
}

export interface TrustRow {
  state: "ok" | "info" | "warning" | "error" | "unknown";
  title: string;
  figure: string;
  detail: string;
}

export interface CodeRow {
  kind: "label" | "module" | "function";
  name: string;
  host_us: number;
  device_us: number;
  share_of_device: number;
  launches: number;
}

export interface OverviewView {
  nothing_to_fix: boolean;
  steady_steps: number;
  step_us: number | null;
  unprofiled_step_us: number | null;
  headline: SavingView | null;
  speedup: number | null;
  device: DeviceBar | null;
  host: HostBar | null;
  causes: CauseRow[];
  saving: SavingView | null;
  plan: PlanRowView[];
  next_limit: string;
  ceilings: FindingRow[];
  leave: FindingRow[];
  stacks: StepStack[];
  trust: TrustRow[];
  code: CodeRow[];
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
  state: "findings" | "sites" | "clean" | "no_device";
  verdict: string;
  detail: string;
  steps: StepRow[];
  marks_steps: boolean;
  median_step_us: number | null;
  total_steps_us: number;
  sync_points: SyncView;
  copies: CopyRow[];
  idle: IdleView | null;
  savings: SavingView | null;
  calibrated: boolean;
  sites: SiteRow[];
  predicted: PredictedRow[];
  health: HealthRow[];
  worst_health: "ok" | "info" | "warning" | "error";
  not_checked: NotCheckedRow[];
  environment: EnvironmentRow[];
  overview: OverviewView;
}

export interface Progress {
  read_bytes: number;
  total_bytes: number;
  elapsed_s: number;
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
  line: number;
  saving: SavingView | null;
}

export interface CodeBlock {
  first_line: number;
  lines: string[];
}

export interface EditRow {
  line: number;
  before: string;
  after: string;
}

export interface Remark {
  finding: FindingRow;
  number: number | null;
  saving: SavingView | null;
  edits: EditRow[];
}

export interface LineMark {
  line: number;
  kind: "line" | "def" | "candidate" | "caller" | "call";
  function: string;
  saving: SavingView | null;
  note: string;
  sites: number[];
  numbers: number[];
  remarks: Remark[];
}

export interface SourceFile {
  path: string;
  library: string;
  saving: SavingView | null;
  findings: number;
  functions: SourceFunction[];
  code: CodeBlock[];
  marks: LineMark[];
}

export interface SitePlace {
  site: number;
  file: number;
  line: number;
}

export interface SourceFilesView {
  files: SourceFile[];
  places: SitePlace[];
  elsewhere: FindingRow[];
  about: string;
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

export interface WindowFigures {
  rank: number | null;
  steps: number;
  first_step: number | null;
  step_us: number | null;
  unprofiled_step_us: number | null;
  idle_share: number | null;
  causes: SeriesCause[];
  sync_points: number;
  wait_us: number;
  gpu_lag_us: number | null;
  uploaded_bytes: number;
  world_size: number | null;
  git_commit: string | null;
}

export interface SeriesRow {
  worker: string;
  rank: number | null;
  window: string;
  number: number;
  state: "ready" | "reading" | "broken";
  figures: WindowFigures | null;
  problem: string;
}

export interface RanksView {
  verdict: string;
  detail: string;
  missing: string;
  rows: SeriesRow[];
}

export interface TrendView {
  verdict: string;
  detail: string;
  rows: SeriesRow[];
  left_out: number;
}

export interface StepTimes {
  steps_us: number[];
  middle_us: number;
  low_us: number | null;
  high_us: number | null;
  text: string;
}

export interface CompareSteps {
  is_unprofiled: boolean;
  before: StepTimes;
  after: StepTimes;
  text: string;
}

export interface ComparedCause {
  cause: string;
  name: string;
}

export interface CompareBar {
  step_us: number;
  device: DeviceBar;
  idle_us: number[];
}

export interface CompareBars {
  causes: ComparedCause[];
  longest_us: number;
  before: CompareBar | null;
  after: CompareBar | null;
}

export interface CompareFigure {
  name: string;
  is_time: boolean;
  is_part: boolean;
  before: number | null;
  after: number | null;
  change: number | null;
  change_share: number | null;
  means: string;
}

export interface Difference {
  name: string;
  before: string;
  after: string;
}

export interface CompareSite {
  state: "gone" | "new" | "changed" | "same";
  location: string;
  before_location: string;
  what: string;
  code: string;
  before_wait_us: number | null;
  after_wait_us: number | null;
  before_starve_us: number | null;
  after_starve_us: number | null;
  before_count: number;
  after_count: number;
  note: string;
  site: number | null;
}

export interface CompareView {
  verdict: string;
  detail: string;
  steps: CompareSteps[];
  bars: CompareBars | null;
  figures: CompareFigure[];
  differences: Difference[];
  alike: string;
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

export interface RuleSection {
  title: string;
  text: string;
}

export interface RulePage {
  code: string;
  name: string;
  title: string;
  sections: RuleSection[];
}

export interface ManualBlock {
  kind: "heading" | "text" | "item" | "code";
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
  blocks: ManualBlock[];
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
  kind: "idle" | "stream" | "queue" | "episodes" | "main" | "autograd" | "thread";
  device: number | null;
  stream: number | null;
  name: string;
  lines: string[];
  peak: number;
}

export interface SiteMark {
  count: number;
  wait_us: number;
}

export interface TimelineView {
  span_ns: number;
  highest_level: number;
  tile_buckets: number;
  kinds: string[];
  causes: CauseName[];
  steps: StepMark[];
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
  cause: string;
  idle_us: number;
  place: string;
  site: number | null;
}

export interface StepCauseRow {
  cause: string;
  name: string;
  idle_us: number;
  pieces: number;
  longest_us: number;
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
  idle_us: number | null;
  idle_share: number | null;
  end_ns: number;
  causes: StepCauseRow[];
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
  kind: string;
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
  direction: string;
  memory: string;
  copy_us: number | null;
  copy_bytes: number | null;
  queued: number | null;
  gap: GapRow | null;
  links: LinkRow[];
}

export interface FoundView {
  row: number | null;
  number: number;
  total: number;
  start_ns: number;
  end_ns: number;
}
