import { useEffect } from "preact/hooks";
import { followKeyboard } from "../api/host.ts";
import { Patterns } from "../draw/Patterns.tsx";
import { notice } from "../state/notice.ts";
import { ContextBar } from "./ContextBar.tsx";
import { EditorDialog } from "./EditorDialog.tsx";
import { KeysDialog } from "./KeysDialog.tsx";
import { handleKey } from "./keys.ts";
import { MainPart } from "./MainPart.tsx";
import { ManualDialog } from "./ManualDialog.tsx";
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
