import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { answerOf, readRecorded } from "./recorded.ts";

// `npm run dev`: the tab without TensorBoard and without Python. Its sources are served as they
// are and follow every change; its questions are answered from `answers`.

const HERE = fileURLToPath(new URL(".", import.meta.url));

/** A route's name has no dot; files that Vite serves have one, or begin with a sign. */
const ROUTE = /^\/[a-z_]+$/;

function recordedAnswers(): Plugin {
  return {
    name: "recorded-answers",
    configureServer(server) {
      const recorded = readRecorded(`${HERE}answers`);
      server.middlewares.use((request, response, next) => {
        const address = new URL(request.url ?? "/", "http://localhost");
        if (!ROUTE.test(address.pathname)) return next();
        const { status, body } = answerOf(recorded, address);
        response.writeHead(status, { "content-type": "application/json" }).end(body);
      });
    },
  };
}

export default defineConfig({
  root: HERE,
  cacheDir: "../node_modules/.vite",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  server: { fs: { allow: [".."] } },
  plugins: [recordedAnswers()],
});
