// Whether anybody can see the tab. TensorBoard hides other tabs by their height, which
// `document.visibilityState` does not tell.

import { signal } from "@preact/signals";

export const visible = signal(true);

export function watchVisibility(): void {
  let onScreen = true;
  const update = (): void => {
    visible.value = onScreen && document.visibilityState === "visible";
  };
  document.addEventListener("visibilitychange", update);
  new IntersectionObserver((entries) => {
    onScreen = entries.at(-1)?.isIntersecting ?? true;
    update();
  }).observe(document.documentElement);
}
