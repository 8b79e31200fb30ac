import { useEffect, useRef } from "preact/hooks";
import type { ManualBlock, ManualEntry, ManualPage } from "../../api/types.ts";
import { failureTitle } from "../../state/loading/loaded.ts";
import { manualOpen, manualPage } from "../../state/manual.ts";
import { ProblemNote } from "../../widgets/ProblemNote.tsx";
import { InlineText } from "../../widgets/Prose.tsx";

/** The manual that ships with tbprof: its pages at the left, one of them at the right. */
export function ManualDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = manualOpen.value !== null;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  return (
    <dialog ref={dialog} class="manual" aria-labelledby="manual-title" onClose={() => (manualOpen.value = null)}>
      <div class="row">
        <h2 id="manual-title" class="grow">
          Manual
        </h2>
        <button class="btn sm" type="button" onClick={() => dialog.current?.close()}>
          Close <span class="kbd">Esc</span>
        </button>
      </div>
      {isOpen && <Content />}
    </dialog>
  );
}

function Content() {
  const loaded = manualPage.value;
  if (loaded.kind === "loading") return <div class="skel" />;
  if (loaded.kind === "there") return <Opened page={loaded.value} />;
  return <ProblemNote problem={{ title: failureTitle(loaded), what: loaded.message, what_to_do: "", path: "" }} />;
}

function Opened({ page }: { page: ManualPage }) {
  return (
    <div class="manual-parts">
      <nav aria-label="Pages of the manual">
        {page.pages.map((entry) => (
          <PageButton key={entry.name} entry={entry} isShown={entry.name === page.name} />
        ))}
      </nav>
      {/* A page of its own each: the next one is read from its top. */}
      <article key={page.name} tabIndex={0} aria-labelledby="manual-page">
        <h3 id="manual-page">{page.title}</h3>
        {page.blocks.map((block, at) => (
          <Block key={at} block={block} />
        ))}
      </article>
    </div>
  );
}

function PageButton({ entry, isShown }: { entry: ManualEntry; isShown: boolean }) {
  return (
    <button class="link" type="button" title={entry.summary} aria-current={isShown ? "page" : undefined} onClick={() => (manualOpen.value = entry.name)}>
      {entry.title}
    </button>
  );
}

function Block({ block: { kind, text } }: { block: ManualBlock }) {
  switch (kind) {
    case "heading":
      return <h4>{text}</h4>;
    case "code":
      return (
        <pre class="code" tabIndex={0}>
          {text}
        </pre>
      );
    case "item":
      return (
        <p class="item anywhere">
          <InlineText text={text} />
        </p>
      );
    case "text":
      return (
        <p class="anywhere">
          <InlineText text={text} />
        </p>
      );
  }
}
