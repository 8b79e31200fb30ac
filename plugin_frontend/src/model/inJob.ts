// The window of a rank that its job knows as late: its own cause is what to change first.

import type { RankRole, WindowView } from "../api/types.ts";

/** The window with the actions in the order of its job. */
export function inJob(view: WindowView, role: RankRole | undefined): WindowView {
  if (role === undefined || role.opens !== null) return view;
  const left = view.overview.actions.filter(({ finding }) => !role.answered.includes(finding.rule));
  const own = left.filter(({ finding }) => role.answered_by.includes(finding.rule));
  const actions = [...own, ...left.filter((row) => !own.includes(row))];
  if (actions[0] === view.overview.actions[0]) return { ...view, overview: { ...view.overview, actions } };
  return { ...view, overview: { ...view.overview, actions, headline: actions[0]?.saves ?? null, speedup: null } };
}
