/** Fills that tell marks apart without their colour; drawings name them by id. */
export function Patterns() {
  return (
    <svg class="sr" width="0" height="0" aria-hidden="true">
      <defs>
        <pattern id="p-copy" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
          <rect width="5" height="5" class="f-copy" />
          <path d="M0 0V5" class="st-mark" stroke-width="1.4" />
        </pattern>
        <pattern id="p-cold" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="7" height="7" class="f-surface" />
          <path d="M0 0V7" class="st-strong" stroke-width="3" />
        </pattern>
      </defs>
    </svg>
  );
}
