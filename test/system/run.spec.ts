import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { noteWarningsIn, repository, temporaryFolder } from "@rubrica/test-kit";
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
