// One short message for those who look and those who listen, such as "Link copied".

import { signal } from "@preact/signals";

const SHOWN_MS = 2_500;

export const notice = signal("");

let timer: ReturnType<typeof setTimeout> | undefined;

export function announce(message: string): void {
  clearTimeout(timer);
  notice.value = message;
  timer = setTimeout(() => (notice.value = ""), SHOWN_MS);
}

/** Copies a text and says so; `what` names it: "Link". */
export async function copyText(text: string, what: string): Promise<void> {
  announce((await writeClipboard(text)) ? `${what} copied` : `The browser does not let tbprof copy the ${what.toLowerCase()}`);
}

async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyThroughSelection(text);
  }
}

/** The clipboard needs https or localhost; a dashboard on a shared server has often neither. */
function copyThroughSelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "sr";
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}
