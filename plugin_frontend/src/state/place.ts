// The place shown, kept in step with the address bar.

import { signal } from "@preact/signals";
import { hostWindow } from "../api/host.ts";
import { inView, type Place, parsePlace, printPlace, START } from "../model/place.ts";

export const place = signal<Place>(START);

/** Goes somewhere that Back leads back from. */
export function visit(change: Partial<Place>): void {
  setPlace(change, "pushState");
}

/** Changes what is shown without a new entry in the history. */
export function adjust(change: Partial<Place>): void {
  setPlace(change, "replaceState");
}

function setPlace(change: Partial<Place>, write: "pushState" | "replaceState"): void {
  const next = { ...inView(place.peek(), change.view ?? place.peek().view), ...change };
  const host = hostWindow();
  const hash = printPlace(next);
  if (hash !== host.location.hash) writeAddress(host, hash, write);
  place.value = next;
}

function writeAddress(host: Window, hash: string, write: "pushState" | "replaceState"): void {
  // In full: what is relative is relative to the page's <base>, which is another folder.
  const { pathname, search } = host.location;
  try {
    host.history[write](host.history.state, "", `${pathname}${search}${hash}`);
  } catch {
    // A notebook shows the page in a frame that has no address.
  }
}

/** Reads the address now and whenever Back, Forward or a pasted link changes it. */
export function followAddress(): void {
  const host = hostWindow();
  const read = (): void => {
    const found = parsePlace(host.location.hash);
    // Another tab's address: what is shown here stays until the tab is opened again.
    if (found !== null) place.value = found;
  };
  read();
  host.addEventListener("popstate", read);
  host.addEventListener("hashchange", read);
}

/** The link that opens what is shown now. */
export function currentLink(): string {
  const { origin, pathname, search } = hostWindow().location;
  return `${origin}${pathname}${search}${printPlace(place.peek())}`;
}
