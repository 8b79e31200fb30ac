// Opening a step in Perfetto: the frame first, a window of its own where no frame is allowed.

import { signal } from "@preact/signals";

/** Whether the dialog with Perfetto is open. */
export const perfettoOpen = signal(false);

export function openPerfetto(): void {
  perfettoOpen.value = true;
}
