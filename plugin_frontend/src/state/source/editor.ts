// How the user's editor is reached; kept by the browser, never sent.

import { signal } from "@preact/signals";
import type { CodePlace } from "../../model/source/code.ts";
import { DEFAULT_TEMPLATE, editorLink, templateProblem } from "../../model/source/editor.ts";

const KEY = "tbprof.editor";

export const editorTemplate = signal(read());

export const editorOpen = signal(false);

/** Asks the browser to hand a place to the editor. */
export function openEditor({ file, line }: CodePlace): void {
  const link = editorLink(editorTemplate.peek(), file, line);
  if (link === null) return;
  const opener = document.createElement("a");
  opener.href = link;
  opener.click();
}

export function keepTemplate(template: string): void {
  editorTemplate.value = template;
  try {
    localStorage.setItem(KEY, template);
  } catch {
    // A sandboxed page has no storage: it holds until the page is closed.
  }
}

function read(): string {
  try {
    const kept = localStorage.getItem(KEY);
    return kept !== null && templateProblem(kept) === "" ? kept : DEFAULT_TEMPLATE;
  } catch {
    return DEFAULT_TEMPLATE;
  }
}
