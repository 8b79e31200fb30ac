import { useEffect, useRef, useState } from "preact/hooks";
import { DEFAULT_TEMPLATE, templateProblem } from "../../model/source/editor.ts";
import { editorOpen, editorTemplate, keepTemplate } from "../../state/source/editor.ts";

/** How a line is opened in the user's editor: a template of a link. */
export function EditorDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState(editorTemplate.value);
  const problem = templateProblem(text);
  const open = editorOpen.value;
  useEffect(() => {
    if (open) dialog.current?.showModal();
  }, [open]);
  const keep = (event: Event): void => {
    event.preventDefault();
    if (problem !== "") return;
    keepTemplate(text);
    dialog.current?.close();
  };
  return (
    <dialog ref={dialog} class="editor" aria-labelledby="editor-title" onClose={() => (editorOpen.value = false)}>
      <form class="col" onSubmit={keep}>
        <h2 id="editor-title">Open lines in your editor</h2>
        <label class="col">
          <span class="s12 t2">
            Link, with {"{path}"} and {"{line}"}. Where paths are recorded without their folder, write it before {"{path}"}.
          </span>
          <input
            class="field mono"
            value={text}
            spellcheck={false}
            aria-invalid={problem !== ""}
            aria-describedby="editor-problem"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <p id="editor-problem" class="s12 i-bad" role="status">
          {problem}
        </p>
        <div class="row">
          <button class="btn p" type="submit" disabled={problem !== ""}>
            Keep
          </button>
          <button class="btn" type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button class="btn q right" type="button" onClick={() => setText(DEFAULT_TEMPLATE)}>
            Visual Studio Code
          </button>
        </div>
      </form>
    </dialog>
  );
}
