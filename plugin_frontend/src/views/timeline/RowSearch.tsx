import { useRef, useState } from "preact/hooks";
import { fetchFound } from "../../api/timeline.ts";
import { formatCount } from "../../format/number.ts";
import { failureOf } from "../../state/loading/loaded.ts";
import { select, selection, timelineAddress } from "../../state/timeline/timeline.ts";
import { range, revealRange } from "../../state/timeline/timelineRange.ts";
import { SearchField } from "../../widgets/SearchField.tsx";

/** Finds rows by name: Enter leads to the next one, with Shift to the one before. */
export function RowSearch() {
  const [said, say] = useState("");
  const control = useRef(new AbortController());
  const search = async (text: string, backwards: boolean): Promise<void> => {
    control.current.abort();
    control.current = new AbortController();
    const { signal } = control.current;
    try {
      say(await find(text, backwards, signal));
    } catch (error) {
      if (!signal.aborted) say(failureOf(error).message);
    }
  };
  return (
    <SearchField
      label="Find a kernel, op, call or label"
      placeholder="Find by name"
      found={said}
      onInput={() => say("")}
      onEnter={(text, backwards) => void search(text, backwards)}
    />
  );
}

async function find(text: string, backwards: boolean, signal: AbortSignal): Promise<string> {
  const address = timelineAddress();
  if (address === null || text === "") return "";
  const from = selection.peek()?.start_ns ?? (range.peek()?.fromNs ?? 0) - 1;
  const found = await fetchFound(address, text, from, backwards, signal);
  if (found.row === null) return "none";
  select({ kind: "row", number: found.row });
  revealRange(found.start_ns, found.end_ns);
  return `${formatCount(found.number)} of ${formatCount(found.total)}`;
}
