// Links that open a line in an editor, after a template of the user's own.

/** Schemes of editors; another one could run anything. */
const EDITOR_SCHEMES = [
  "vscode",
  "vscode-insiders",
  "vscodium",
  "cursor",
  "windsurf",
  "zed",
  "pycharm",
  "idea",
  "jetbrains",
  "subl",
  "txmt",
  "mvim",
  "emacs",
] as const;

export const DEFAULT_TEMPLATE = "vscode://file/{path}:{line}";

/** Why a template can't be used; "" if it can. */
export function templateProblem(template: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//.exec(template)?.[1];
  if (scheme === undefined || !EDITOR_SCHEMES.some((known) => known === scheme)) {
    return `It must begin with one of ${EDITOR_SCHEMES.map((known) => `${known}://`).join(", ")}`;
  }
  return template.includes("{path}") ? "" : "It must contain {path}";
}

/** The link to a line; null if the template can't be used. */
export function editorLink(template: string, path: string, line: number | null): string | null {
  if (templateProblem(template) !== "") return null;
  const escaped = path.replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/");
  return template.replaceAll("{path}", () => escaped).replaceAll("{line}", String(line ?? 1));
}
