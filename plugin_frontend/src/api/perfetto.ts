// Handing a trace to Perfetto's page. It stays in the browser: only messages between windows.

export const PERFETTO = "https://ui.perfetto.dev";

const ASK_EVERY_MS = 100;
const PATIENCE_MS = 30_000;

/** Asks until Perfetto answers, then gives it the trace. Resolves to whether it took it. */
export function handToPerfetto(target: Window, buffer: ArrayBuffer, title: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (taken: boolean): void => {
      clearInterval(asking);
      clearTimeout(patience);
      window.removeEventListener("message", hear);
      signal.removeEventListener("abort", stop);
      resolve(taken);
    };
    const stop = (): void => end(false);
    const hear = (event: MessageEvent): void => {
      if (event.origin !== PERFETTO || event.source !== target || event.data !== "PONG") return;
      target.postMessage({ perfetto: { buffer, title, keepApiOpen: true } }, PERFETTO);
      end(true);
    };
    const asking = setInterval(() => target.postMessage("PING", PERFETTO), ASK_EVERY_MS);
    const patience = setTimeout(stop, PATIENCE_MS);
    window.addEventListener("message", hear);
    signal.addEventListener("abort", stop);
  });
}
