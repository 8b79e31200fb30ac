// Light or dark, as TensorBoard is.

/** Follows the class that TensorBoard puts on its body; outside it, the system's preference. */
export function followTheme(host: Window): void {
  const preference = matchMedia("(prefers-color-scheme: dark)");
  const body = host === window ? null : host.document.body;
  const apply = (): void => {
    const dark = body === null ? preference.matches : body.classList.contains("dark-mode");
    document.documentElement.dataset.theme = dark ? "dark" : "light";
  };
  apply();
  if (body === null) preference.addEventListener("change", apply);
  else new MutationObserver(apply).observe(body, { attributeFilter: ["class"] });
}
