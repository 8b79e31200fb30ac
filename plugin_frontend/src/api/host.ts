// TensorBoard around the tab: its window, and the channel over which it announces reloads.

/** The window whose address bar and theme are the user's: TensorBoard's, or our own outside it. */
export function hostWindow(): Window {
  try {
    // Reading the address throws where the parent is of another origin.
    void window.parent.location.hash;
    return window.parent;
  } catch {
    return window;
  }
}

/** One message of TensorBoard's channel; each side numbers its own calls. */
interface HostMessage {
  type: string;
  id: number;
  payload: unknown;
  error: string | null;
  isReply: boolean;
}

/** Calls `onReload` whenever TensorBoard has reloaded its data. Does nothing outside TensorBoard. */
export function listenToReloads(onReload: () => void): void {
  if (window.parent === window) return;
  const { port1: port, port2: remote } = new MessageChannel();
  port.onmessage = (event: MessageEvent<string>) => {
    const message = JSON.parse(event.data) as HostMessage;
    if (message.isReply) return;
    // TensorBoard waits for an answer to each of its calls.
    const reply: HostMessage = { type: message.type, id: message.id, payload: null, error: null, isReply: true };
    port.postMessage(JSON.stringify(reply));
    if (message.type === "experimental.DataReloaded") onReload();
  };
  window.parent.postMessage("experimental.bootstrap", "*", [remote]);
}

/**
 * Takes the keyboard whenever TensorBoard shows the tab; returns what ends that. A notebook, in which
 * TensorBoard itself is a frame, keeps its own.
 */
export function followKeyboard(): () => void {
  if (hostWindow() === window || window.parent !== window.top) return () => undefined;
  const shown = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) window.focus();
  });
  shown.observe(document.documentElement);
  return () => shown.disconnect();
}
