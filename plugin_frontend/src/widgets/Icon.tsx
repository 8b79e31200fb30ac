import type { JSX } from "preact";

const SHAPES = {
  down: <path d="m4 6 4 4 4-4" />,
  previous: <path d="m10 4-4 4 4 4" />,
  next: <path d="m6 4 4 4-4 4" />,
  link: <path d="M6.5 9.5 9.5 6.5M7 5l1.7-1.7a2.8 2.8 0 0 1 4 4L11 9M9 11l-1.7 1.7a2.8 2.8 0 0 1-4-4L5 7" />,
  tick: <path d="m3 8.5 3.2 3.2L13 5" />,
  warning: (
    <>
      <path d="M8 2.5 14.5 13.5H1.5Z" />
      <path d="M8 6.5v3.2M8 11.6v.1" />
    </>
  ),
  error: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="m5.8 5.8 4.4 4.4M10.2 5.8l-4.4 4.4" />
    </>
  ),
  info: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 7.4v3.6M8 5.1v.1" />
    </>
  ),
  unknown: <circle cx="8" cy="8" r="6" stroke-dasharray="2.4 2.4" />,
  close: <path d="m4.5 4.5 7 7M11.5 4.5l-7 7" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4" />
      <path d="m10 10 3.5 3.5" />
    </>
  ),
  copy: (
    <>
      <rect x="5.5" y="5.5" width="7.5" height="7.5" rx="1.2" />
      <path d="M3.5 10.5V4A1 1 0 0 1 4.5 3H10.5" />
    </>
  ),
  open: <path d="M6 3.5H3.5v9h9V10M9 3.5h3.5V7M12.5 3.5 7 9" />,
  zoomIn: (
    <>
      <circle cx="7" cy="7" r="4" />
      <path d="m10 10 3.5 3.5M5.3 7h3.4M7 5.3v3.4" />
    </>
  ),
  zoomOut: (
    <>
      <circle cx="7" cy="7" r="4" />
      <path d="m10 10 3.5 3.5M5.3 7h3.4" />
    </>
  ),
  fit: <path d="M2.5 5.5v-3h3M13.5 5.5v-3h-3M2.5 10.5v3h3M13.5 10.5v3h-3" />,
  reload: <path d="M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3" />,
} satisfies Record<string, JSX.Element>;

export type IconName = keyof typeof SHAPES;

/** A line drawing of 16 px beside a word; it says nothing that the word does not. */
export function Icon({ name, tone = "" }: { name: IconName; tone?: "" | "i-ok" | "i-warn" | "i-bad" | "i-none" }) {
  return (
    <svg class={`ico ${tone}`} viewBox="0 0 16 16" aria-hidden="true">
      {SHAPES[name]}
    </svg>
  );
}
