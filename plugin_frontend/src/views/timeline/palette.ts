// The colors of the canvases, read again when the theme changes.

import { signal } from "@preact/signals";
import { readPalette } from "../../draw/timeline/palette.ts";

const root = document.documentElement;
const read = () => readPalette(root, window.devicePixelRatio);

export const palette = signal(read());

// The chunk lives as long as the page.
new MutationObserver(() => (palette.value = read())).observe(root, { attributeFilter: ["data-theme"] });
