import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { eventually, followWarningsOf, noteWarningsIn, repository, temporaryFolder } from "@rubrica/test-kit";
import { expect, test } from "vitest";

const wanted = {
  "": { name: "rubrica" },
  "packages/a": { version: "0.1.0" },
  "node_modules/@rubrica/a": { resolved: "packages/a", link: true },
  "node_modules/node": { version: "24.0.0", integrity: "sha512-n" },
  "node_modules/for-another-machine": { version: "1.0.0", integrity: "sha512-o", optional: true },
};
const { "": _, "node_modules/for-another-machine": __, ...found } = wanted;

/** A repository of one program, whose npm only tells that it was called. Runs the program; tells what happened. */
const repositoryOfOneProgram = (path: string) => {
  const at = (...names: string[]) => join(path, ...names);
  for (const folder of ["scripts", "bin", join("node_modules", "node", "bin")])
    mkdirSync(at(folder), { recursive: true });
  cpSync(join(repository, "scripts", "run.mjs"), at("scripts", "run.mjs"));
  symlinkSync(process.execPath, at("node_modules", "node", "bin", "node"));
  writeFileSync(at("program.mjs"), 'console.log("ran", process.argv[2]);');
  writeFileSync(at("bin", "npm"), `#!/bin/sh\ntouch '${at("npm-was-called")}'\nexit 1\n`);
  chmodSync(at("bin", "npm"), 0o755);
  writeFileSync(at("package-lock.json"), JSON.stringify({ packages: wanted }));
  return (installed?: object) => {
    if (installed) writeFileSync(at("node_modules", ".package-lock.json"), JSON.stringify({ packages: installed }));
    rmSync(at("npm-was-called"), { force: true });
    const { stdout, stderr } = spawnSync(process.execPath, [at("scripts", "run.mjs"), "program.mjs", "well"], {
      env: { PATH: `${at("bin")}${delimiter}${process.env.PATH}` },
      encoding: "utf8",
    });
    noteWarningsIn("run.mjs", stderr);
    return { ran: stdout === "ran well\n", installs: existsSync(at("npm-was-called")) };
  };
};

test("what npm ci installed is not installed again", () => {
  using folder = temporaryFolder();
  expect(repositoryOfOneProgram(folder.path)(found)).toEqual({ ran: true, installs: false });
});

test.each([
  ["nothing", undefined],
  ["a package less", { ...found, "node_modules/@rubrica/a": undefined }],
  ["a package of another version", { ...found, "node_modules/node": { version: "23.0.0", integrity: "sha512-n" } }],
  [
    "a package of the same version that is another",
    { ...found, "node_modules/node": { version: "24.0.0", integrity: "sha512-x" } },
  ],
])("where npm has installed %s, it is installed", (_what, installed) => {
  using folder = temporaryFolder();
  expect(repositoryOfOneProgram(folder.path)(installed)).toEqual({ ran: false, installs: true });
});

test("a change of the lockfile is installed, also after a start that found all in place", () => {
  using folder = temporaryFolder();
  const run = repositoryOfOneProgram(folder.path);
  expect(run(found)).toEqual({ ran: true, installs: false });
  expect(run({})).toEqual({ ran: true, installs: false });
  writeFileSync(
    join(folder.path, "package-lock.json"),
    JSON.stringify({ packages: { ...wanted, "node_modules/new": { version: "1.0.0" } } }),
  );
  expect(run()).toEqual({ ran: false, installs: true });
});

/** Begins the program of a repository; what it has written so far, and how it ends. */
const begin = (path: string) => {
  const child = spawn(process.execPath, [join(path, "scripts", "run.mjs"), "program.mjs", "well"], {
    env: { PATH: `${join(path, "bin")}${delimiter}${process.env.PATH}` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  followWarningsOf("run.mjs", child);
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += String(chunk);
  });
  return { child, stdout: text(child.stdout), closed: once(child, "close"), stderr: () => stderr };
};

test("of two that begin at once, one installs and the other waits for it", async () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  repositoryOfOneProgram(folder.path);
  writeFileSync(at("found.json"), JSON.stringify({ packages: found }));
  // It ends once it is told to.
  writeFileSync(
    at("bin/npm"),
    `#!/bin/sh\necho called >>'${at("calls")}'\nuntil [ -e '${at("go")}' ]; do sleep 0.05; done\n` +
      `cp '${at("found.json")}' '${at("node_modules/.package-lock.json")}'\n`,
  );
  const first = begin(folder.path);
  await eventually("npm to be called", () => existsSync(at("calls")));
  const second = begin(folder.path);
  await eventually("the second to wait", () => second.stderr().includes("Another command is installing"));
  writeFileSync(at("go"), "");
  expect(await Promise.all([first.stdout, second.stdout])).toEqual(["ran well\n", "ran well\n"]);
  await Promise.all([first.closed, second.closed]);
  expect(readFileSync(at("calls"), "utf8")).toBe("called\n");
  expect(lstatSync(at(".installing"), { throwIfNoEntry: false })).toBeUndefined();
});

test.each([
  ["a process that has ended", () => String(spawnSync(process.execPath, ["--eval", ""]).pid)],
  ["a process that does something else by now", () => String(process.pid)],
  ["no process", () => "x"],
])("an installation that was cut off, by %s, holds none up; nor does one that fails", (_what, pid) => {
  using folder = temporaryFolder();
  const run = repositoryOfOneProgram(folder.path);
  const lock = join(folder.path, ".installing");
  symlinkSync(pid(), lock);
  expect(run()).toEqual({ ran: false, installs: true });
  expect(lstatSync(lock, { throwIfNoEntry: false })).toBeUndefined();
});

test("one that is told to end while it installs leaves nothing that the next would wait for", async () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  repositoryOfOneProgram(folder.path);
  writeFileSync(at("bin/npm"), `#!/bin/sh\ntouch '${at("calls")}'\nexec sleep 60\n`);
  const { child, closed } = begin(folder.path);
  await eventually("npm to be called", () => existsSync(at("calls")));
  expect(readlinkSync(at(".installing"))).toBe(String(child.pid));
  child.kill("SIGTERM");
  expect(await closed).toEqual([1, null]);
  expect(lstatSync(at(".installing"), { throwIfNoEntry: false })).toBeUndefined();
});
