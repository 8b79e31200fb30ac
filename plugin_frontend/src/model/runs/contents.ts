// Whether the files of a window have changed since it was loaded.

/** "changing": they are others than before, and may still be written. */
type Look = "same" | "changing" | "changed";

/**
 * Gives what is known, look by look, which content the files of a window have; null where that is not known.
 * A file changes with every look while it is written, so it has changed once two looks find the same.
 */
export function watchContents(): (address: string, content: string | null) => Look {
  const loaded = new Map<string, string>();
  let last = { address: "", content: "" };
  return (address, content) => {
    if (content === null) return "same";
    const isAtRest = last.address === address && last.content === content;
    last = { address, content };
    const before = loaded.get(address);
    if (before !== undefined && before !== content && !isAtRest) return "changing";
    loaded.set(address, content);
    return before === undefined || before === content ? "same" : "changed";
  };
}
