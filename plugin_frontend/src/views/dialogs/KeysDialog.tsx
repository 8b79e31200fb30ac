import { useEffect, useRef } from "preact/hooks";
import { FIRST_PAGE, manualOpen } from "../../state/manual.ts";
import { windowView } from "../../state/windowAnswer.ts";
import { KEYS, keysOpen } from "./keys.ts";

/** The list of keys, and the way to the manual. */
export function KeysDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = keysOpen.value;
  useEffect(() => {
    if (open) dialog.current?.showModal();
  }, [open]);
  const hasDevice = windowView.value?.state !== "no_device";
  const openManual = (): void => {
    dialog.current?.close();
    manualOpen.value = FIRST_PAGE;
  };
  return (
    <dialog ref={dialog} aria-labelledby="keys-title" onClose={() => (keysOpen.value = false)}>
      <div class="row">
        <h2 id="keys-title" class="grow">
          Keyboard
        </h2>
        <button class="btn sm" type="button" onClick={openManual}>
          Manual
        </button>
        <button class="btn sm" type="button" onClick={() => dialog.current?.close()}>
          Close <span class="kbd">Esc</span>
        </button>
      </div>
      <dl class="keys">
        {KEYS.filter(({ needsDevice }) => hasDevice || needsDevice === undefined).map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              <span class="kbd">{keys}</span>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
