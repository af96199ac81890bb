// Runs a TypeScript entry point on the pinned Node, installing what is missing first.
// Plain JavaScript that any Node ≥ 20 runs: it is what starts before anything is installed.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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

const isThere = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== "ESRCH";
  }
};

/** A link that names the process that installs here: it is made in one step, so that none is found half written. */
const lock = join(root, ".installing");

/** Whether the process that the lock names is still installing: another one can have its number by now. */
const isHeld = () => {
  try {
    const pid = Number(readlinkSync(lock));
    return pid !== process.pid && isThere(pid) && processOf(pid).command.includes("run.mjs");
  } catch {
    return false;
  }
};

/** Resolves once no other command installs here: two at once would each remove what the other brings. */
const takeLock = async () => {
  for (let told = false; ; told = true) {
    try {
      return symlinkSync(String(process.pid), lock);
    } catch (error) {
      // Where no link can be made, npm says why, or goes on alone.
      if (error.code !== "EEXIST") return;
    }
    if (!isHeld()) {
      rmSync(lock, { force: true });
      continue;
    }
    if (!told) console.error("Another command is installing dependencies: waiting for it …");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
};

/** Runs `npm ci`; its exit code. */
const install = async () => {
  console.error("Installing dependencies, which takes a minute or two this once (npm ci) …");
  // Packages warn of the Node that npm runs on; they run on the pinned one.
  const npm = spawn("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => npm.kill(signal));
  const [code] = await once(npm, "exit");
  return code ?? 1;
};

if (!installed()) {
  await takeLock();
  try {
    const code = installed() ? 0 : await install();
    if (code === 0) remember();
    else process.exitCode = code;
  } finally {
    rmSync(lock, { force: true });
  }
  if (process.exitCode) process.exit();
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

/** The shell that npm runs this script in passes no signal on, and does not end with npm: npm itself is looked at. */
const npmIsThere = () => {
  const { ppid } = process;
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
