/** Fills that tell marks apart without their color; drawings name them by id. */
export function Patterns() {
  return (
    <svg class="sr" width="0" height="0" aria-hidden="true">
      <defs>
        <pattern id="p-copy" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
          <rect width="5" height="5" class="f-copy" />
          <path d="M0 0V5" class="st-mark" stroke-width="1.4" />
        </pattern>
        <pattern id="p-input" width="5" height="5" patternUnits="userSpaceOnUse">
          <rect width="5" height="5" class="f-input" />
          <circle cx="1.5" cy="1.5" r="1" class="f-surface" />
          <circle cx="4" cy="4" r="1" class="f-surface" />
        </pattern>
        <pattern id="p-launch" width="4" height="4" patternUnits="userSpaceOnUse">
          <rect width="4" height="4" class="f-launch" />
          <path d="M0 0V4" class="st-mark" stroke-width="1.6" />
        </pattern>
        <pattern id="p-garbage" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="5" height="5" class="f-launch" />
          <path d="M0 0V5" class="st-mark" stroke-width="2.4" />
        </pattern>
        <pattern id="p-staging" width="6" height="6" patternUnits="userSpaceOnUse">
          <rect width="6" height="6" class="f-launch" />
          <path d="M0 3H6" class="st-mark" stroke-width="2" />
        </pattern>
        <pattern id="p-loading" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="6" height="6" class="f-launch" />
          <path d="M0 0V6M3 0H6" class="st-mark" stroke-width="1.6" />
        </pattern>
        <pattern id="p-comm" width="8" height="5" patternUnits="userSpaceOnUse">
          <rect width="8" height="5" class="f-comm" />
          <path d="M1 2.5H5" class="st-mark" stroke-width="1.2" />
        </pattern>
        <pattern id="p-queued" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="6" height="6" class="f-surface" />
          <path d="M0 0V6" class="st-queued" stroke-width="2.4" />
        </pattern>
        <pattern id="p-unknown" width="6" height="6" patternUnits="userSpaceOnUse">
          <rect width="6" height="6" class="f-surface" />
          <path d="M0 0L6 6M6 0L0 6" class="st-queued" stroke-width="1.2" />
        </pattern>
        <pattern id="p-gain" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="5" height="5" class="f-surface" />
          <path d="M0 0V5" class="st-gain" stroke-width="1.4" />
        </pattern>
        <pattern id="p-cold" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="7" height="7" class="f-surface" />
          <path d="M0 0V7" class="st-strong" stroke-width="3" />
        </pattern>
      </defs>
    </svg>
  );
}
