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

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/**
 * Whether npm itself brought everything here: what it says last of an installation, when all else is done, names each
 * package of the lockfile in its version. Packages for other machines are missing there.
 */
const installedByNpm = () => {
  try {
    const wanted = readJson(join(root, "package-lock.json")).packages;
    const found = readJson(join(root, "node_modules", ".package-lock.json")).packages;
    return Object.entries(wanted).every(([path, { version, resolved, integrity, link, optional }]) => {
      if (!path.includes("node_modules/")) return true;
      const there = found[path];
      if (!there) return optional === true;
      return link ? there.resolved === resolved : there.version === version && there.integrity === integrity;
    });
  } catch {
    return false;
  }
};

const remember = () => {
  try {
    writeFileSync(stamp, lockfileHash());
  } catch {
    // Where nothing may be written, it is found out anew each time.
  }
};

const installed = () => {
  if (!existsSync(pinnedNode)) return false;
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lockfileHash()) return true;
  if (!installedByNpm()) return false;
  remember();
  return true;
};

if (!installed()) {
  console.error("Installing dependencies, which takes a minute or two this once (npm ci) …");
  // Packages warn of the Node that npm runs on; they run on the pinned one.
  const npm = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  if (npm.status !== 0) process.exit(npm.status ?? 1);
  remember();
}

// What the runtime is to be told stands before the entry point; set later, it would make some of its own work slower.
const given = process.argv.slice(2);
const at = given.findIndex((argument) => !argument.startsWith("--"));
const [flags, entry, args] = [given.slice(0, at), given[at], given.slice(at + 1)];
const child = spawn(pinnedNode, [...flags, join(root, entry), ...args], {
  // A channel that closes when this process ends, however it ends: the service then stops too.
  stdio: ["inherit", "inherit", "inherit", "ipc"],
  env: {
    // Compiled code is kept between runs, which halves the time to start.
    NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "rubrica-compiled"),
    ...process.env,
    PATH: `${dirname(pinnedNode)}${delimiter}${process.env.PATH}`,
  },
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)));

/** A process' parent and command line, on Linux and macOS. */
const processOf = (pid) => {
  if (process.platform === "linux") {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in brackets, may hold anything.
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    return { parent, command: readFileSync(`/proc/${pid}/cmdline`, "utf8") };
  }
  const [, parent, command] = /^\s*(\d+)\s+(.*)/.exec(
    String(spawnSync("ps", ["-o", "ppid=,args=", "-p", String(pid)]).stdout),
  );
  return { parent: Number(parent), command };
};

/** The shell that npm runs this script in passes no signal on, and does not end with npm: npm itself is looked at. */
const npmIsThere = () => {
  const { ppid } = process;
  const isThere = (pid) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return error.code !== "ESRCH";
    }
  };
  const { parent, command } = processOf(ppid);
  const watched = command.includes("run.mjs") ? [ppid, parent] : [ppid];
  return () => process.ppid === ppid && watched.every(isThere);
};

if (process.env.npm_lifecycle_event && process.platform !== "win32") {
  try {
    const isThere = npmIsThere();
    const watching = setInterval(() => {
      if (isThere()) return;
      clearInterval(watching);
      child.kill("SIGTERM");
    }, 250);
  } catch {
    // Where processes can't be looked at, the signals that come here have to do.
  }
}
