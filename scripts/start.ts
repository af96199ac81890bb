// Starts an app: `node scripts/start.ts APP [arguments]`, from its bundle, or from its sources where they are newer.
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { runnableOf } from "@rubrica/runtime/bundle";

// The app sees its own arguments alone.
const [app = ""] = process.argv.splice(2, 1);
const main = new URL(`../apps/${app}/src/main.ts`, import.meta.url);
if (!/^[a-z-]+$/.test(app) || !existsSync(main)) {
  console.error("Name an app of the folder apps: node scripts/start.ts standalone");
  process.exit(1);
}
await import(pathToFileURL(runnableOf(main)).href);
