import { declared } from "../../model/views.ts";
import { place } from "../../state/place.ts";
import { windowView } from "../../state/windowAnswer.ts";
import { Icon } from "../../widgets/Icon.tsx";

/** Above every view of a window whose file lacks much of what was recorded. */
export function ScopeNote() {
  const scope = windowView.value?.scope ?? "";
  if (scope === "" || declared(place.value.view).hasOwnScope) return null;
  return <Scope text={scope} />;
}

/** What figures are of, where much of what was recorded is missing. */
export function Scope({ text }: { text: string }) {
  return (
    <aside class="scope s12" aria-label="Scope of the figures">
      <Icon name="warning" />
      {text}
    </aside>
  );
}
