const ROWS = [92, 78, 84, 60, 71, 55];

/** The page's outline while nothing is known yet. */
export function Skeleton() {
  return (
    <div aria-hidden="true">
      <div class="page">
        <div class="skel skel-verdict" />
        <div class="skel skel-detail" />
        <div class="row skel-figures">
          <div class="skel" />
          <div class="skel" />
          <div class="skel" />
          <div class="skel" />
        </div>
        <div class="card">
          <div class="in col skel-rows">
            {ROWS.map((width) => (
              <div key={width} class="skel" style={{ width: `${width}%` }} />
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}
