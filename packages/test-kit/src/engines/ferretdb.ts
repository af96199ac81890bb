import { spawnSync } from "node:child_process";
import { chownSync } from "node:fs";
import { createConnection } from "node:net";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../folders.ts";
import { freePort } from "../ports.ts";
import { pathOf, toolsMissing } from "../tools.ts";
import { type Child, child } from "./child.ts";
import type { EngineProcess } from "./engine-process.ts";

/** Of PostgreSQL, for FerretDB: an update command holds one for each of its operations until it ends. */
const CONNECTIONS = 200;
/**
 * It ends with its folder, so that nobody reads what a fall of the machine would leave there; and to compile a query takes
 * longer than to run it once.
 */
const CHEAP = ["fsync=off", "full_page_writes=off", "jit=off"];
/** What PostgreSQL runs as where the tests run as root, as which it refuses to. */
const POSTGRESQL_USER = "postgres";

/** Whether FerretDB can be started here; says on the console what is skipped when it can't. */
export const hasFerretDb = (): boolean =>
  !toolsMissing(process.env.RUBRICA_FERRETDB || "FerretDB (tools/ferretdb, by RUBRICA_FERRETDB)", initdb(), "setpriv");

/** How an engine is started. */
export interface EngineOptions {
  /** Whether it syncs to the disk what it answers, as where its speed is measured. Default: what stands for another need not. */
  durable?: boolean;
}

/**
 * FerretDB in place of MongoDB, on a free port of the loopback, over a PostgreSQL of its own, which goes on when FerretDB
 * is killed. Both end with this process, however it ends.
 */
export const startFerretDb = async ({ durable = false }: EngineOptions = {}): Promise<EngineProcess> => {
  const folder = temporaryFolder();
  const port = await freePort();
  const postgresql = postgresqlIn(folder.path, durable);
  const ferretDb = tied([process.env.RUBRICA_FERRETDB ?? ""], {
    answers: () => listens(port),
    environment: {
      FERRETDB_LISTEN: `127.0.0.1:${port}`,
      FERRETDB_SOCKET: join(folder.path, "ferretdb.socket"),
      FERRETDB_POSTGRESQL_URL: `postgres://${POSTGRESQL_USER}@/postgres?host=${folder.path}&pool_max_conns=${CONNECTIONS}`,
    },
  });
  const end = async () => {
    await ferretDb.kill();
    await postgresql.kill();
    folder[Symbol.dispose]();
  };
  try {
    await postgresql.start();
    await ferretDb.start();
  } catch (error) {
    await end();
    throw error;
  }
  return { url: `mongodb://127.0.0.1:${port}/`, isTrue: false, ...ferretDb, [Symbol.asyncDispose]: end };
};

/** A PostgreSQL in the folder, reached by a socket in it. */
const postgresqlIn = (folder: string, durable: boolean): Child => {
  const data = join(folder, "data");
  const user = ownerOf(folder);
  const cluster = ["-D", data, "-U", POSTGRESQL_USER, "--auth=trust", "--locale=C", "--encoding=UTF8", "--no-sync"];
  const made = spawnSync("setpriv", [...user, initdb(), ...cluster], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`initdb ended: ${made.stderr}`);
  const programs = dirname(initdb());
  const reached = ["listen_addresses=", `unix_socket_directories=${folder}`, `max_connections=${CONNECTIONS + 20}`];
  const settings = [...reached, ...(durable ? [] : CHEAP)];
  return tied([join(programs, "postgres"), "-D", data, ...settings.flatMap((setting) => ["-c", setting])], {
    user,
    answers: async () => spawnSync(join(programs, "pg_isready"), ["-q", "-h", folder]).status === 0,
  });
};

/** A program that ends with this process, as who `user` (arguments of setpriv) says. */
const tied = (
  command: readonly string[],
  { user = [], ...options }: { user?: readonly string[] } & Parameters<typeof child>[2],
): Child => child("setpriv", [...user, "--pdeathsig", "KILL", ...command], options);

/** Whose the folder is to be for PostgreSQL to run in it, as arguments of setpriv. */
const ownerOf = (folder: string): string[] => {
  if (process.getuid?.() !== 0) return ["--no-new-privs"];
  const idOf = (kind: string) => Number(spawnSync("id", [kind, POSTGRESQL_USER], { encoding: "utf8" }).stdout);
  const [uid, gid] = [idOf("-u"), idOf("-g")];
  chownSync(folder, uid, gid);
  return ["--reuid", `${uid}`, "--regid", `${gid}`, "--init-groups"];
};

/** PostgreSQL's program that makes a cluster: in the folder that RUBRICA_POSTGRESQL names, else in the path. */
const initdb = (): string => {
  const { RUBRICA_POSTGRESQL: folder } = process.env;
  return folder === undefined ? (pathOf("initdb") ?? "PostgreSQL (by RUBRICA_POSTGRESQL)") : join(folder, "initdb");
};

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, "127.0.0.1");
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => done(true));
    socket.once("error", () => done(false));
  });
