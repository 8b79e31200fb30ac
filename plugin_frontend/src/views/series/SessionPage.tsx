import { useEffect } from "preact/hooks";
import type { Note, SessionView } from "../../api/types.ts";
import { formatCounted } from "../../format/number.ts";
import { loadSession, session } from "../../state/session.ts";
import { Card } from "../../widgets/Card.tsx";
import { SeriesHead, SeriesPage } from "./SeriesPage.tsx";

/** What was asked, proposed, proved, measured and decided, the newest first. */
export function SessionPage() {
  useEffect(loadSession, []);
  return (
    <SeriesPage answer={session.value}>
      {(view: SessionView) => (
        <>
          <SeriesHead verdict={view.verdict} detail={view.detail} />
          <Card id="notes" title="Notes" about={formatCounted(view.notes.length, "note")}>
            <NotesTable notes={view.notes} />
          </Card>
        </>
      )}
    </SeriesPage>
  );
}

function NotesTable({ notes }: { notes: readonly Note[] }) {
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label="All notes">
      <table class="series-table" aria-labelledby="notes">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">By</th>
            <th scope="col">What</th>
            <th scope="col">Note</th>
          </tr>
        </thead>
        <tbody>
          {notes.map((note) => (
            <tr key={`${note.at}${note.kind}${note.text}`}>
              <td class="nw t2">{whenOf(note.at)}</td>
              <td class="t2">
                <bdi>{note.by}</bdi>
              </td>
              <td>{note.kind}</td>
              <td class="anywhere">
                <bdi>{note.text}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The time as this machine's clock shows it; what is no time stays as it is. */
function whenOf(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? at : time.toLocaleString();
}
