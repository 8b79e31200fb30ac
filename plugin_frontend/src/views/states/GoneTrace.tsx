import { Icon } from "../../widgets/Icon.tsx";

/** The only view that needs the trace itself. */
export function GoneTrace() {
  return (
    <main tabIndex={0}>
      <div class="page narrow">
        <section class="note" aria-labelledby="gone">
          <Icon name="info" />
          <div>
            <h1 id="gone">The trace of this window is not here any more</h1>
            <p>The timeline draws every event, so it needs the trace file. The report holds all other views.</p>
            <p class="t2">
              One instance of each site is drawn in its drawer, under Sync points and Copies. To see the timeline, put the trace back beside its report.
            </p>
          </div>
        </section>
      </div>
    </main>
  );
}
