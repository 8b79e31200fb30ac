import type { RunsView, SkippedRow } from "../../api/types.ts";
import { formatCounted } from "../../format/number.ts";
import { splitPath } from "../../format/place.ts";
import { copyText } from "../../state/notice.ts";
import { Icon } from "../../widgets/Icon.tsx";

/** The hook in a training loop; what is not `added` is the reader's own. */
const CODE = [
  { added: true, text: "from tbprof import TrainerHook" },
  { added: false, text: "" },
  { added: true, text: 'with TrainerHook("logs/run1") as hook:' },
  { added: false, text: "    for batch in loader:" },
  { added: false, text: "        train_step(batch)" },
  { added: true, text: "        hook.step()" },
];
const ADDED = CODE.filter((line) => line.added).map((line) => line.text);

/** Nothing is recorded: how to record, and what was looked at. */
export function EmptyState({ runs }: { runs: RunsView }) {
  // A log directory on another host may lack something, or be on its way.
  const unread = runs.skipped.find((row) => row.path === runs.logdir);
  return (
    <div class="page narrow">
      <div>
        <h1 class="anywhere">
          {unread === undefined ? "Nothing recorded yet in" : "Nothing to show yet of"}{" "}
          <bdi>{splitPath(runs.logdir.replace(/[/\\]+$/, "")).name || runs.logdir}</bdi>
        </h1>
        <p class="t2 anywhere">
          {unread?.reason ?? "Add three lines to the training loop. The first window appears here by itself, a few seconds after its last step."}
        </p>
      </div>
      <div class="halves">
        <RecordCard />
        <LookedCard runs={runs} />
      </div>
    </div>
  );
}

function RecordCard() {
  return (
    <section class="card" aria-labelledby="record">
      <header>
        <h2 id="record">Record</h2>
      </header>
      <div class="in col">
        <pre class="code lines" tabIndex={0}>
          {CODE.map(({ added, text }, at) => (
            <span key={at} class={added ? "line added" : "line"}>
              {text}
              {"\n"}
            </span>
          ))}
        </pre>
        <div class="row">
          <button class="btn p" type="button" onClick={() => void copyText(ADDED.join("\n"), "Code")}>
            <Icon name="copy" />
            Copy the three lines
          </button>
        </div>
      </div>
    </section>
  );
}

function LookedCard({ runs }: { runs: RunsView }) {
  return (
    <section class="card" aria-labelledby="looked">
      <header>
        <h2 id="looked">What was looked at</h2>
      </header>
      <div class="in col">
        <dl class="kv s12">
          <dt>Folder</dt>
          <dd class="mono">
            <bdi>{runs.logdir}</bdi>
          </dd>
          <dt>Windows found</dt>
          <dd class="b">0</dd>
          <dt>Files skipped</dt>
          <dd>{runs.skipped.length}</dd>
          <dt>tbprof</dt>
          <dd>{runs.tbprof_version}</dd>
        </dl>
        <p class="s12 t3">
          Any PyTorch trace counts: <code>*.json</code> or <code>*.json.gz</code>, with or without tbprof.
        </p>
      </div>
      {runs.skipped.length > 0 && <SkippedList rows={runs.skipped} />}
    </section>
  );
}

function SkippedList({ rows }: { rows: readonly SkippedRow[] }) {
  return (
    <details class="hr in" open={rows.length <= 8}>
      <summary>{formatCounted(rows.length, "file")} skipped</summary>
      <ul class="checks s12">
        {rows.map((row) => (
          <li key={row.path}>
            <Icon name="info" tone="i-none" />
            <div>
              <p class="mono anywhere">
                <bdi>{row.path}</bdi>
              </p>
              <p class="t2 anywhere">{row.reason}</p>
            </div>
          </li>
        ))}
      </ul>
    </details>
  );
}
