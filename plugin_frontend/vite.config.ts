import { defineConfig } from "vite";

// TensorBoard's page imports `index.js` and calls its `render()`; its content policy
// allows neither data: URLs nor addresses that begin with a slash. Views that few open
// first are chunks of their own. The mode `page` gives the same in one file, for a page
// that carries everything inside it.
export default defineConfig(({ mode }) => {
  const isPage = mode === "page";
  return {
    base: "./",
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir: "../tbprof/static",
      emptyOutDir: !isPage,
      target: "es2022",
      modulePreload: false,
      assetsInlineLimit: 0,
      reportCompressedSize: true,
      rolldownOptions: {
        input: "src/main.tsx",
        preserveEntrySignatures: "allow-extension",
        output: {
          entryFileNames: isPage ? "page.js" : "index.js",
          chunkFileNames: "assets/[name]-[hash].js",
          assetFileNames: "assets/[name]-[hash][extname]",
          codeSplitting: !isPage,
        },
      },
    },
  };
});
