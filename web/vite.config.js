import { defineConfig } from "vite";

// One script without imports: a report carries it and loads nothing.
export default defineConfig({
  define: { "process.env.NODE_ENV": JSON.stringify("production") },
  build: {
    target: "es2022",
    outDir: "../crates/report/assets",
    emptyOutDir: false,
    lib: { entry: "src/main.ts", formats: ["iife"], name: "proofload", fileName: () => "report.js" },
  },
});
