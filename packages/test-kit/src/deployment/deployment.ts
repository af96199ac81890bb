import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { loadOrCreateSigningIdentity } from "@rubrica/pdf";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { type RubricaClient, rubricaClient } from "../client.ts";
import { runCommandLine } from "../command-line.ts";
import { temporaryFolder } from "../folders.ts";
import { freePort } from "../ports.ts";
import { UNLIMITED } from "../service-process.ts";
import { type AppProcess, appProcess } from "./app-process.ts";
import { startReverseProxy } from "./reverse-proxy.ts";

const SIMULATOR_KEY = "test-simulator-key-0123456789";
const CREDITS = 10_000;

/** How many processes there are of each app. */
export const TWO_OF_EACH: Readonly<Record<string, number>> = {
  "command-api": 2,
  "query-api": 2,
  projector: 2,
  subscribers: 2,
  "signing-web": 1,
  "verify-web": 1,
  simulator: 1,
};

export interface DeploymentOptions {
  /** EVENTSTORE_URL, MONGODB_URL and NATS_URL: of the engines, or of what stands before them. */
  engines: Readonly<Record<string, string>>;
  /** How many processes there are of each app; two of those that scale out, one of the others, when left out. */
  counts?: Readonly<Record<string, number>>;
  /** Further variables of every app. Requests are not limited unless these say so. */
  environment?: Readonly<Record<string, string>>;
}

/** The apps as processes on engines over the wire, behind one address. */
export interface Deployment extends AsyncDisposable {
  url: string;
  /** Of an account of plan pro, made on the command line. */
  apiKey: string;
  simulatorKey: string;
  client: RubricaClient;
  apps: readonly AppProcess[];
  /** The processes of an app. */
  processesOf(app: string): readonly AppProcess[];
  /** What who opens the same engines is to be given. */
  environment: Readonly<Record<string, string>>;
  accountId: string;
  /** Resolves when every process is ready. */
  ready(): Promise<void>;
}

/** Starts all apps behind a reverse proxy, and opens an account; resolves when all of them are ready. */
export const startDeployment = async (options: DeploymentOptions): Promise<Deployment> => {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(temporaryFolder());
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const simulatorPort = await freePort();
  const environment: Record<string, string> = {
    ...options.engines,
    ...UNLIMITED,
    // On engines that outlive a file of tests, the next one reads what this one stored.
    SECRET: process.env.RUBRICA_TEST_SECRET ?? systemRandom.bytes(32).toString("base64url"),
    PUBLIC_URL: url,
    TRUST_PROXY: "1",
    SIMULATOR_KEY,
    SIMULATOR_URL: `http://127.0.0.1:${simulatorPort}`,
    SERVICE_URL: url,
    ...options.environment,
  };
  const authority = join(folder.path, "authority");
  await loadOrCreateSigningIdentity(authority, url, systemClock, systemRandom);
  const apps: AppProcess[] = [];
  for (const [app, count] of Object.entries(options.counts ?? TWO_OF_EACH))
    for (let number = 1; number <= count; number++) {
      const dataDir = join(folder.path, `${app}-${number}`);
      mkdirSync(dataDir, { mode: 0o700 });
      cpSync(join(authority, "pki"), join(dataDir, "pki"), { recursive: true });
      const own = app === "simulator" ? { port: simulatorPort } : {};
      apps.push(starting.use(await appProcess(app, number, { dataDir, environment, ...own })));
    }
  const processesOf = (app: string) => apps.filter((one) => one.app === app);
  starting.use(await startReverseProxy(port, (app) => processesOf(app).map((one) => one.url)));
  const { account_id: accountId, api_key: apiKey } = await openAccount({ ...environment, DATA_DIR: folder.path });
  const ready = async () => void (await Promise.all(apps.map((one) => one.ready())));
  await Promise.all(apps.map((one) => one.start()));
  await ready();
  const started = starting.move();
  return {
    url,
    apiKey,
    simulatorKey: SIMULATOR_KEY,
    client: rubricaClient({ url, apiKey, simulatorKey: SIMULATOR_KEY }),
    apps,
    processesOf,
    environment: { ...environment, DATA_DIR: folder.path },
    accountId,
    ready,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
};

/** Opens an account as an operator does. What stands before the engines may run in this process, which must not wait. */
const openAccount = async (
  environment: Readonly<Record<string, string>>,
): Promise<{ account_id: string; api_key: string }> => {
  const args = ["account", "create", "--name", "Tests", "--plan", "pro", "--credits", String(CREDITS), "--json"];
  const { code, stdout, stderr } = await runCommandLine(environment, ...args);
  if (code !== 0) throw new Error(`no account was opened: ${stderr}`);
  return JSON.parse(stdout);
};
