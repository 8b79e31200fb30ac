import { place } from "../../state/place.ts";
import { rulePage } from "../../state/rulePage.ts";
import { closeDrawer } from "../../state/sites.ts";
import { Icon } from "../../widgets/Icon.tsx";
import { Prose } from "../../widgets/Prose.tsx";
import { Drawer } from "./Drawer.tsx";

/** The page of a rule. */
export function RuleDrawer({ code }: { code: string }) {
  const loaded = rulePage.value;
  return (
    <Drawer title={loaded.kind === "there" ? loaded.value.title : code}>
      <div class="row s12">
        {place.value.site !== null && (
          <button class="btn sm" type="button" onClick={closeDrawer}>
            <Icon name="previous" />
            Back to the site
          </button>
        )}
        <span class="rule">{code}</span>
        {loaded.kind === "there" && <span class="t3">{loaded.value.name}</span>}
      </div>
      {loaded.kind === "failed" && (
        <div class="note bad small">
          <Icon name="error" tone="i-bad" />
          <div><p class="anywhere">{loaded.message}</p></div>
        </div>
      )}
      {loaded.kind === "loading" && <div class="skel" />}
      {loaded.kind === "there" &&
        loaded.value.sections.map((section) => (
          <section key={section.title}>
            <h3>{section.title}</h3>
            <Prose text={section.text} />
          </section>
        ))}
    </Drawer>
  );
}
