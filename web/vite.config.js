import { defineConfig } from "vite";

// Scripts without imports: a report carries the one that draws its charts and loads nothing; `--mode ui` builds the one that
// follows a page of `proofload ui`.
export default defineConfig(({ mode }) => ({
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  build: {
    target: "es2022",
    outDir: "../target/web",
    emptyOutDir: false,
    lib: {
      entry: mode === "ui" ? "src/ui.ts" : "src/main.ts",
      formats: ["iife"],
      name: "proofload",
      fileName: () => (mode === "ui" ? "ui.js" : "report.js"),
    },
  },
}));
