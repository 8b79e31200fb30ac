import type { PeerRow } from "../../api/types.ts";
import { Meter } from "../../draw/bars/Meter.tsx";
import { COMMUNICATING } from "../../draw/marks/causes.ts";
import { formatCount, formatCounted } from "../../format/number.ts";
import { formatSize } from "../../format/size.ts";
import { MOST_RANKS, type PeerMatrix, peerMatrix } from "../../model/ranks/peers.ts";
import { Card } from "../../widgets/Card.tsx";
import { NumberHead } from "../../widgets/NumberHead.tsx";

/** Sends and receives: from which rank to which, how often and how much. */
export function PeersCard({ peers }: { peers: readonly PeerRow[] }) {
  const matrix = peerMatrix(peers);
  const isSmall = Math.max(matrix.sources.length, matrix.destinations.length) <= MOST_RANKS;
  const about = `sends and receives that this rank called; bars by ${matrix.of === "bytes" ? "size" : "messages, as not all sizes were recorded"}`;
  return (
    <Card id="peers" title="From rank to rank" about={about}>
      {isSmall ? <Matrix matrix={matrix} /> : <List peers={peers} />}
    </Card>
  );
}

function Matrix({ matrix }: { matrix: PeerMatrix }) {
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label="Matrix of sends and receives">
      <table class="dense waits" aria-labelledby="peers">
        <thead>
          <tr>
            <th scope="col">From</th>
            {matrix.destinations.map((destination) => (
              <th key={destination} scope="col" class="num">
                to rank {destination}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {matrix.sources.map((source) => (
            <tr key={source}>
              <th scope="row">rank {source}</th>
              {matrix.destinations.map((destination) => (
                <td key={destination} class="num">
                  <Cell row={matrix.cell(source, destination)} matrix={matrix} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ row, matrix }: { row: PeerRow | undefined; matrix: PeerMatrix }) {
  if (row === undefined) return <span class="t3">–</span>;
  return (
    <>
      <span title={formatCounted(row.count, "message")}>{row.bytes === null ? `${formatCount(row.count)} ×` : formatSize(row.bytes)}</span>
      <Meter parts={[{ length: row[matrix.of] ?? 0, fill: COMMUNICATING }]} most={matrix.most} />
    </>
  );
}

function List({ peers }: { peers: readonly PeerRow[] }) {
  return (
    <table class="dense" aria-labelledby="peers">
      <thead>
        <tr>
          <th scope="col">From</th>
          <th scope="col">To</th>
          <NumberHead>Count</NumberHead>
          <NumberHead>Size</NumberHead>
        </tr>
      </thead>
      <tbody>
        {peers.map((row) => (
          <tr key={`${row.source} ${row.destination}`}>
            <td>rank {row.source}</td>
            <td>rank {row.destination}</td>
            <td class="num">{formatCount(row.count)}</td>
            <td class="num">{row.bytes === null ? "–" : formatSize(row.bytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
