import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { declared, GROUPS, type ViewGroup, type ViewName } from "../../model/views.ts";
import { place } from "../../state/place.ts";
import { Icon } from "../../widgets/Icon.tsx";
import { usePopup } from "../../widgets/picker/usePopup.ts";

/** Those that become menus where the bar has no room for all views. */
const FOLDED: readonly ViewGroup[] = ["What", "How it changed"];

interface ViewTabsProps {
  names: readonly ViewName[];
  link: (name: ViewName) => ComponentChildren;
}

/** The views by the question that they answer. */
export function ViewTabs({ names, link }: ViewTabsProps) {
  const tabs = useRef<HTMLDivElement>(null);
  const isFolded = useFolded(tabs, names.join());
  return (
    <div class="tabs" ref={tabs}>
      {GROUPS.map((group) => {
        const own = names.filter((name) => declared(name).group === group);
        if (own.length === 0) return null;
        if (isFolded && own.length > 1 && FOLDED.includes(group)) return <Menu key={group} group={group} names={own} link={link} />;
        return (
          <span key={group} class="group" role="group" aria-label={group}>
            {own.map(link)}
          </span>
        );
      })}
    </div>
  );
}

/** Whether the views need more than the bar has left; `names` are those that it shows. */
function useFolded(tabs: { current: HTMLDivElement | null }, names: string): boolean {
  const [isFolded, setFolded] = useState(false);
  const needed = useRef(0);
  useLayoutEffect(() => {
    setFolded(false);
    needed.current = 0;
  }, [names]);
  useLayoutEffect(() => {
    const element = tabs.current;
    if (element === null) return;
    const measure = (): void => {
      if (!isFolded) needed.current = element.scrollWidth;
      setFolded(needed.current > element.clientWidth);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    // The counts beside names come later than the names.
    for (const group of element.children) observer.observe(group);
    measure();
    return () => observer.disconnect();
  }, [isFolded, names]);
  return isFolded;
}

function Menu({ group, names, link }: ViewTabsProps & { group: ViewGroup }) {
  const { isOpen, setOpen, root, button, onKeyDown } = usePopup();
  const isCurrent = names.includes(place.value.view);
  return (
    <div class="group menu" ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        ref={button}
        class={isCurrent ? "current" : ""}
        aria-current={isCurrent && !isOpen ? "page" : undefined}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {group}
        <Icon name="down" />
      </button>
      {isOpen && (
        <div class="popup" role="group" aria-label={group} onClick={() => setOpen(false)}>
          {names.map(link)}
        </div>
      )}
    </div>
  );
}
