// How idle of each cause is filled: a color and a pattern, so that hue alone is never the message.

export interface Fill {
  fill?: string;
  class?: string;
}

const FILLS: Record<string, Fill> = {
  sync: { class: "f-sync" },
  data: { fill: "url(#p-input)" },
  launch: { fill: "url(#p-launch)" },
  garbage_collection: { fill: "url(#p-garbage)" },
  staging: { fill: "url(#p-staging)" },
  loading: { fill: "url(#p-loading)" },
  queued: { fill: "url(#p-queued)" },
};

export const COMPUTING: Fill = { class: "f-compute" };
export const COMMUNICATING: Fill = { fill: "url(#p-comm)" };
/** Of a collective: data on its way, and waiting for the last rank to arrive. */
export const TRANSFERRING: Fill = COMMUNICATING;
export const WAITING: Fill = { class: "waiting" };
export const COPYING: Fill = { fill: "url(#p-copy)" };
export const COLD: Fill = { fill: "url(#p-cold)" };

const OTHERS: Fill = { fill: "url(#p-unknown)" };

/** Causes without a color of their own are cross-hatched. */
export function causeFill(cause: string): Fill {
  return FILLS[cause] ?? OTHERS;
}
