import { useEffect } from "preact/hooks";
import { followKeyboard } from "../../api/host.ts";
import { Patterns } from "../../draw/marks/Patterns.tsx";
import { notice } from "../../state/notice.ts";
import { EditorDialog } from "../dialogs/EditorDialog.tsx";
import { KeysDialog } from "../dialogs/KeysDialog.tsx";
import { handleKey } from "../dialogs/keys.ts";
import { ManualDialog } from "../dialogs/ManualDialog.tsx";
import { ContextBar } from "./ContextBar.tsx";
import { MainPart } from "./MainPart.tsx";
import { ScopeNote } from "./ScopeNote.tsx";
import { ViewBar } from "./ViewBar.tsx";

/** The whole tab: two bars that never move, and the part below them. */
export function App() {
  useEffect(() => {
    document.addEventListener("keydown", handleKey);
    const leave = followKeyboard();
    return () => {
      leave();
      document.removeEventListener("keydown", handleKey);
    };
  }, []);
  return (
    <div class="app">
      <Patterns />
      <ContextBar />
      <ViewBar />
      <ScopeNote />
      <MainPart />
      <KeysDialog />
      <ManualDialog />
      <EditorDialog />
      <p class="toast" role="status">
        {notice}
      </p>
    </div>
  );
}
