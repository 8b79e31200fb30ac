// The sites as they are listed now, and the one that the keys move.

import { computed, signal } from "@preact/signals";
import type { SiteRow } from "../../api/types.ts";
import { NOWHERE } from "../../model/place.ts";
import { actionNumbers } from "../../model/sites/actions.ts";
import { filterSites } from "../../model/sites/filtering.ts";
import { groupsOf, type SiteGroup } from "../../model/sites/grouping.ts";
import { type SortKey, startsDescending } from "../../model/sites/sorting.ts";
import { printSelected } from "../../model/timeline/selected.ts";
import { sitesOf } from "../../model/views.ts";
import { adjust, place, visit } from "../place.ts";
import { views } from "../runs/runs.ts";
import { windowView } from "../windowAnswer.ts";

/** The sites of the view shown, before any filter. */
export const viewSites = computed<SiteRow[]>(() => sitesOf(place.value.view, windowView.value?.sites ?? []));

/** By index of the site its number in the list of actions. */
export const numbersInActions = computed<ReadonlyMap<number, number>>(() => (windowView.value === null ? new Map() : actionNumbers(windowView.value.overview)));

export const siteGroups = computed<SiteGroup[]>(() => {
  const sites = filterSites(viewSites.value, place.value.filter);
  const steps = windowView.value?.steps ?? [];
  return groupsOf(
    place.value.group,
    sites,
    numbersInActions.value,
    steps.map((step) => step.name),
    place.value,
  );
});

/** All listed sites, from the top, each once. */
export const listedSites = computed(() => {
  const listed = siteGroups.value.flatMap((group) => group.sites);
  return [...new Map(listed.map((site) => [site.index, site])).values()];
});

/** The site whose drawer is open. */
export const openSite = computed<SiteRow | null>(() => windowView.value?.sites.find((site) => site.index === place.value.site) ?? null);

const movedTo = signal<number | null>(null);

/** Index of the site that the keys stand on: the open one, else where they were moved. */
export const currentSite = computed<number | null>(() => openSite.value?.index ?? movedTo.value);

/** Moves `rows` rows down; an open drawer follows. */
export function moveSite(rows: number): void {
  const listed = listedSites.peek();
  const at = listed.findIndex((site) => site.index === currentSite.peek());
  const from = at < 0 && rows < 0 ? 0 : at;
  const next = listed[Math.min(Math.max(from + rows, 0), listed.length - 1)];
  if (next === undefined) return;
  movedTo.value = next.index;
  if (openSite.peek() !== null) adjust({ site: next.index, rule: null });
}

export function visitSite(index: number): void {
  movedTo.value = index;
  const change = { site: index, rule: null, health: false };
  if (openSite.peek() === null) visit(change);
  else adjust(change);
}

/** Shows one episode of a site in the timeline: in the step of its instance. */
export function showInTimeline(index: number): void {
  const view = windowView.peek();
  const site = view?.sites.find((row) => row.index === index);
  if (view === null || site === undefined || !views.peek().includes("timeline")) return;
  const step = view.steps.findIndex((row) => row.name === site.instance?.step);
  const selected = printSelected({ kind: "site", number: index });
  visit({ ...NOWHERE, view: "timeline", step: Math.max(step, 0), selected, site: null, rule: null });
}

/** Closes what is open at the right: first the rule's page, then the drawer. */
export function closeDrawer(): void {
  const { rule, site, health, row } = place.peek();
  if (rule !== null) adjust({ rule: null });
  else if (site !== null || health) adjust({ site: null, health: false });
  else if (row !== null) adjust({ row: null });
  else movedTo.value = null;
}

/** Sorts by a column; a second click turns the order round. */
export function sortBy(key: SortKey): void {
  const { sort, descending } = place.peek();
  adjust({ sort: key, descending: sort === key ? !descending : startsDescending(key) });
}
