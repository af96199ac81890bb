import { execFile } from "node:child_process";
import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join, relative, resolve, sep } from "node:path";
import { promisify } from "node:util";
import { isExecutable } from "./executable.ts";

/** How an office program is kept from what is not its own. */
export interface Confinement {
  /** Puts into a folder what the program must find there. */
  prepare(folder: string): Promise<void>;
  /** The command that runs `program` where it sees its own folder, and of the system only what programs are made of. */
  wrap(folder: string, program: readonly string[]): string[];
}

/**
 * Of the system: programs, libraries, fonts, and how they are set up. Not all of `/usr`: services are kept there too,
 * with their data.
 */
const SYSTEM = [
  "/usr/bin",
  "/usr/sbin",
  "/usr/lib",
  "/usr/lib32",
  "/usr/lib64",
  "/usr/libexec",
  "/usr/share",
  "/usr/local/share/fonts",
  "/etc/alternatives",
  "/etc/fonts",
  "/etc/ld.so.cache",
  "/etc/libreoffice",
  "/var/cache/fontconfig",
];
/** Links into `/usr`, or folders of their own. */
const ROOTS = ["/bin", "/sbin", "/lib", "/lib32", "/lib64"];
const PROBE_TIMEOUT_MS = 10_000;

/**
 * Bubblewrap, where it is installed and the system lets it work: namespaces of its own for files, network, processes and
 * the rest, and no right to anything else.
 * @param folder where office programs have their folders
 * @returns undefined where there is none: what the office program may read is then what this process may read.
 */
export const findConfinement = async (soffice: string, folder: string): Promise<Confinement | undefined> => {
  const bwrap = (process.env.PATH ?? "")
    .split(delimiter)
    .filter(Boolean)
    .map((path) => join(path, "bwrap"))
    .find(isExecutable);
  const shown = [...SYSTEM, ...installationOf(soffice)];
  if (bwrap === undefined || shown.some((path) => isWithin(folder, path))) return undefined;
  const confinement: Confinement = {
    prepare,
    wrap: (own, program) => [bwrap, ...NAMESPACES, ...mounts(shown), ...ownFolder(own), "--", ...program],
  };
  const [command = "", ...probe] = [bwrap, ...NAMESPACES, ...mounts(shown), "--", "true"];
  const works = await promisify(execFile)(command, probe, { timeout: PROBE_TIMEOUT_MS }).then(
    () => true,
    () => false,
  );
  return works ? confinement : undefined;
};

/** Where LibreOffice lies, when that is not with the system's programs. */
const installationOf = (soffice: string): string[] => {
  const program = realpathSync(soffice);
  return SYSTEM.some((path) => isWithin(program, path)) ? [] : [dirname(dirname(program))];
};

const isWithin = (path: string, folder: string): boolean => `${resolve(path)}${sep}`.startsWith(join(folder, sep));

const NAMESPACES = ["--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev"];

const mounts = (shown: readonly string[]): string[] => [
  ...shown.filter((path) => existsSync(path)).flatMap((path) => ["--ro-bind", path, path]),
  ...ROOTS.filter((path) => existsSync(path)).flatMap((path) =>
    lstatSync(path).isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path],
  ),
];

/** Its own folder, under its own name; what it leaves in `/tmp` lies there too. */
const ownFolder = (folder: string): string[] => [
  ...["--ro-bind", usersIn(folder), "/etc/passwd"],
  ...["--bind", temporaryIn(folder), "/tmp"],
  ...["--bind", folder, folder],
  ...["--chdir", folder],
];

/** The program asks who it is, and names its sockets after that; who else there is on this machine it is not told. */
const prepare = async (folder: string): Promise<void> => {
  // A folder within /tmp is mounted within what is /tmp there; bwrap would make its place readable to all.
  const place = isWithin(folder, "/tmp") ? relative("/tmp", folder) : "";
  await mkdir(join(temporaryIn(folder), place), { recursive: true, mode: 0o700 });
  await writeFile(usersIn(folder), `office:x:${process.getuid?.()}:${process.getgid?.()}::${folder}:/bin/false\n`);
};

const usersIn = (folder: string): string => join(folder, "passwd");

/** What is `/tmp` to a program that is confined. */
export const temporaryIn = (folder: string): string => join(folder, "tmp");
