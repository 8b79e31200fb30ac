import { Fragment } from "preact";
import type { SiteRow, WindowView } from "../../api/types.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatCount, formatMean, formatShare } from "../../format/number.ts";
import { formatChain, formatDirection } from "../../format/place.ts";
import { formatSize } from "../../format/size.ts";
import { formatSpeed } from "../../format/speed.ts";
import { bestSaving, explainedShare, hostWait, meanPerStep } from "../../model/sites/sorting.ts";
import { views } from "../../state/runs/runs.ts";
import { showInTimeline } from "../../state/sites/sites.ts";
import { marksSteps } from "../../state/windowAnswer.ts";
import { Drawer } from "./Drawer.tsx";
import { FindingPart } from "./FindingPart.tsx";
import { FixPart } from "./FixPart.tsx";
import { InstancePart } from "./InstancePart.tsx";
import { SourcePart } from "./SourcePart.tsx";

/** One site: what to do, its line, what happens there, how to fix it, its figures. */
export function SiteDrawer({ site, view }: { site: SiteRow; view: WindowView }) {
  const largest = Math.max(...view.sites.map((row) => bestSaving(row)?.ceiling_us ?? 0));
  const [first, ...others] = site.findings;
  return (
    <Drawer title={site.what}>
      {first !== undefined && <FindingPart finding={first} scale_us={largest} />}
      <SourcePart site={site} />
      {site.instance !== null && <InstancePart instance={site.instance} />}
      {site.instance !== null && views.value.includes("timeline") && (
        <p>
          <button class="btn sm" type="button" onClick={() => showInTimeline(site.index)}>
            Show in the timeline <span class="kbd">t</span>
          </button>
        </p>
      )}
      {first !== undefined && <FixPart finding={first} />}
      {others.map((finding) => (
        <Fragment key={finding.fingerprint}>
          <FindingPart finding={finding} scale_us={largest} />
          <FixPart finding={finding} />
        </Fragment>
      ))}
      <SiteFigures site={site} />
    </Drawer>
  );
}

function SiteFigures({ site }: { site: SiteRow }) {
  const mean = meanPerStep(site);
  const explained = explainedShare(site);
  const wait = hostWait(site);
  const figures: [string, string][] = [
    ["Wait", wait === null ? "—, its calls do not block the host" : formatDuration(wait)],
    ...(wait === null ? [] : ([["Above the calls’ base cost", formatDuration(site.wait_net_us)]] as [string, string][])),
    ["Explained", explained === null ? "—" : `${formatDuration(site.explained_us)}, ${formatShare(explained)}`],
    ...(site.communication_wait_us ? ([["Waiting for communication", formatDuration(site.communication_wait_us)]] as [string, string][]) : []),
    ...(site.op_before && site.op_after ? ([["Between", `${site.op_before} and ${site.op_after}`]] as [string, string][]) : []),
    ["GPU starved after it", formatDuration(site.starve_us)],
    [marksSteps.value ? "Of all steps" : "Of the window", formatShare(site.share_of_steps)],
    ["Calls", `${formatCount(site.count)}, ${formatCount(site.blocking)} block the host`],
    ...(marksSteps.value ? ([["Per step", mean === null ? "—" : formatMean(mean)]] as [string, string][]) : []),
    ...(site.direction === ""
      ? []
      : ([
          ["Copied", `${formatSize(site.bytes)}, ${formatDirection(site.direction, site.memory)}`],
          ["Copying takes", `${formatDuration(site.device_us)}, ${formatSpeed(site.bytes_per_s)}`],
          ["Not hidden by computing", formatDuration(site.exposed_us)],
        ] as [string, string][])),
  ];
  return (
    <section aria-labelledby="figures">
      <h3 id="figures">Figures of the window</h3>
      <dl class="kv s12">
        {figures.map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{value}</dd>])}
        <Names name="API calls" names={site.calls.join(" + ")} />
        <Names name="Ops, innermost first" names={formatChain(site.ops)} />
        <Names name="Label" names={site.label ?? ""} />
        <Names name="Module" names={site.module ?? ""} />
      </dl>
    </section>
  );
}

function Names({ name, names }: { name: string; names: string }) {
  if (names === "") return null;
  return (
    <>
      <dt>{name}</dt>
      <dd class="mono">
        <bdi>{names}</bdi>
      </dd>
    </>
  );
}
