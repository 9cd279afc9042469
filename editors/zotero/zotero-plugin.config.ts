import { defineConfig } from "zotero-plugin-scaffold";
import pkg from "./package.json" with { type: "json" };

export default defineConfig({
  source: ["src", "addon"],
  dist: ".scaffold/build",
  name: pkg.config.addonName,
  id: pkg.config.addonID,
  namespace: pkg.config.addonRef,
  xpiName: pkg.name,
  build: {
    assets: ["addon/**/*.*"],
    define: { ...pkg.config, description: pkg.description, buildVersion: pkg.version },
    fluent: { prefixFluentMessages: false, prefixLocaleFiles: false },
    makeManifest: { enable: false },
    prefs: { prefix: "extensions.recsys" },
    esbuildOptions: [
      {
        entryPoints: { recsys: "src/index.ts", answer: "src/answer.ts" },
        bundle: true,
        target: "firefox140",
        outdir: ".scaffold/build/addon/content",
      },
    ],
  },
});
