import type { WindowView } from "../../api/types.ts";
import { unplacedFindings } from "../../model/sites/actions.ts";
import { place } from "../../state/place.ts";
import { rulePage } from "../../state/sites/rulePage.ts";
import { closeDrawer } from "../../state/sites/sites.ts";
import { GuideLinks } from "../../widgets/GuideLinks.tsx";
import { Icon } from "../../widgets/Icon.tsx";
import { Prose } from "../../widgets/Prose.tsx";
import { CopyFindingButton } from "../CopyFindingButton.tsx";
import { Drawer } from "./Drawer.tsx";
import { FindingPart } from "./FindingPart.tsx";

/** What a rule found in a window that is about no site, and its page. */
export function RuleDrawer({ code, view }: { code: string; view: WindowView | null }) {
  const loaded = rulePage.value;
  const found = (view === null ? [] : unplacedFindings(view.overview)).filter((finding) => finding.rule === code);
  const largest = Math.max(...found.map((finding) => finding.saving?.ceiling_us ?? 0));
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
      {found.map((finding) => (
        <div key={finding.fingerprint} class="col">
          <FindingPart finding={finding} scale_us={largest} heading={finding.place === "" ? "In this window" : finding.place} />
          <p>
            <CopyFindingButton finding={finding} />
          </p>
        </div>
      ))}
      {loaded.kind === "failed" && (
        <div class="note bad small">
          <Icon name="error" tone="i-bad" />
          <div>
            <p class="anywhere">{loaded.message}</p>
          </div>
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
      {loaded.kind === "there" && loaded.value.guides.length > 0 && (
        <section>
          <h3>In the guides</h3>
          <GuideLinks guides={loaded.value.guides} />
        </section>
      )}
      {loaded.kind === "there" && (
        <p class="t3 s12">
          <a class="away" href={loaded.value.url} target="_blank" rel="noopener noreferrer">
            This page on the web
          </a>
        </p>
      )}
    </Drawer>
  );
}
