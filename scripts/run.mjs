// Runs a TypeScript entry point on the pinned Node, installing what is missing first.
// Plain JavaScript that any Node ≥ 20 runs: it is what starts before anything is installed.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const pinnedNode = join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
const stamp = join(root, "node_modules", ".rubrica-lockfile");

const lockfileHash = () =>
  createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");

const installed = () => existsSync(pinnedNode) && existsSync(stamp) && readFileSync(stamp, "utf8") === lockfileHash();

if (!installed()) {
  console.error("Installing dependencies, which takes a minute or two this once (npm ci) …");
  // Packages warn of the Node that npm runs on; they run on the pinned one.
  const npm = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  if (npm.status !== 0) process.exit(npm.status ?? 1);
  writeFileSync(stamp, lockfileHash());
}

const [entry, ...args] = process.argv.slice(2);
const child = spawn(pinnedNode, [join(root, entry), ...args], {
  stdio: "inherit",
  env: {
    // Compiled code is kept between runs, which halves the time to start.
    NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "rubrica-compiled"),
    ...process.env,
    PATH: `${dirname(pinnedNode)}${delimiter}${process.env.PATH}`,
  },
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)));
