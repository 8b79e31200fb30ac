// The stylesheet, adopted whole before anything is drawn.

import base from "./base.css?inline";
import flame from "./flame.css?inline";
import frame from "./frame.css?inline";
import job from "./job.css?inline";
import pages from "./pages.css?inline";
import source from "./source.css?inline";
import tables from "./tables.css?inline";
import timeline from "./timeline.css?inline";
import tokens from "./tokens.css?inline";
import widgets from "./widgets.css?inline";

export function adoptStyle(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync([tokens, base, frame, widgets, tables, pages, job, source, timeline, flame].join("\n"));
  document.adoptedStyleSheets = [sheet];
}

/** Adds the rules of views that few open first; they travel with the code of these views. */
export function adoptAlso(rules: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
