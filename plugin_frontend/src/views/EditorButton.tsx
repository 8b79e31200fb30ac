import type { CodePlace } from "../model/source/code.ts";
import { editorLink } from "../model/source/editor.ts";
import { editorOpen, editorTemplate } from "../state/source/editor.ts";
import { Icon } from "../widgets/Icon.tsx";

/** Opens a place in the user's editor; beside it how that editor is reached. */
export function EditorButton({ place }: { place: CodePlace }) {
  const link = editorLink(editorTemplate.value, place.file, place.line);
  return (
    <>
      {link !== null && (
        <a class="btn sm" href={link}>
          <Icon name="open" />
          Editor <span class="kbd">e</span>
        </a>
      )}
      <button class="btn q sm" type="button" aria-label="Choose the editor" onClick={() => (editorOpen.value = true)}>
        …
      </button>
    </>
  );
}
