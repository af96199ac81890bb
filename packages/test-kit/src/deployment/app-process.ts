import { systemClock } from "@rubrica/runtime";
import { eventually, HANGING_MS } from "../polling.ts";
import { freePort } from "../ports.ts";
import { type ProcessEnd, type ServiceProcess, spawnService } from "../service-process.ts";
import { standStill } from "../standing.ts";

const POLL_MS = 200;

/** Asks until the answer is yes; seldom, since many processes are asked while they start. */
const seldom = (what: string, ask: () => Promise<boolean>): Promise<true> =>
  eventually(
    what,
    async () => {
      if (await ask()) return true;
      await systemClock.wait(POLL_MS);
      return false;
    },
    HANGING_MS,
  );

/** One of an app's processes, which may be killed and started again where it was. */
export interface AppProcess extends AsyncDisposable {
  /** The app's: `command-api`. */
  app: string;
  /** Unlike any other's: `command-api 2`. */
  name: string;
  url: string;
  /** Sends the signal to the process alone. */
  signal(signal: NodeJS.Signals): void;
  /** Stops it where it is, until `SIGCONT`; resolves when none of its threads runs. */
  silence(): Promise<void>;
  /** Ends it with SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Ends it as an operator does; resolves when it is gone. */
  end(signal?: NodeJS.Signals): Promise<ProcessEnd>;
  /** Starts it where it was; resolves when it answers at all. */
  start(): Promise<void>;
  /** What `/readyz` answers; undefined while nothing answers. */
  readiness(): Promise<{ status: number; body: Readiness } | undefined>;
  /** Resolves when it is ready. @throws naming why it is not, after minutes. */
  ready(): Promise<void>;
  /** All that it logged since it was started last. */
  log(): string;
}

/** The body of `/readyz`. */
export interface Readiness {
  status: string;
  failing?: string[];
  reasons?: Record<string, string>;
  degraded?: Record<string, string>;
}

/** A process of the app, which is not started yet. */
export const appProcess = async (
  app: string,
  number: number,
  { dataDir, environment, port }: { dataDir: string; environment: Readonly<Record<string, string>>; port?: number },
): Promise<AppProcess> => {
  const ownPort = port ?? (await freePort());
  const url = `http://127.0.0.1:${ownPort}`;
  const name = `${app} ${number}`;
  let current: ServiceProcess | undefined;
  /** Undefined while it runs, and before it ever did. */
  let end: ProcessEnd | undefined;
  // Whoever else listens at its address is not taken for it.
  const expectRunning = () => {
    if (end) throw new Error(`${name} ended with ${end.signal ?? end.code}: ${current?.stderr()}`);
  };
  const readiness: AppProcess["readiness"] = async () => {
    try {
      const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(10_000) });
      return { status: answer.status, body: (await answer.json()) as Readiness };
    } catch {
      return undefined;
    }
  };
  return {
    app,
    name,
    url,
    signal: (signal) => current?.signal(signal),
    async silence() {
      if (current) await standStill(current.pid);
    },
    async kill() {
      // One that is stopped would not end before it goes on.
      await current?.end("SIGKILL");
    },
    end: async (signal = "SIGTERM") => (await current?.end(signal)) ?? { code: null, signal: null },
    async start() {
      const started = await spawnService({ dataDir, app, port: ownPort, apiKey: null, environment });
      current = started;
      end = undefined;
      void started.ended.then((how) => {
        if (current === started) end = how;
      });
      await seldom(`${name} to answer`, async () => {
        expectRunning();
        return (await readiness()) !== undefined;
      });
    },
    readiness,
    async ready() {
      let last: unknown;
      try {
        await seldom(`${name} to be ready`, async () => {
          expectRunning();
          const answer = await readiness();
          last = answer?.body;
          return answer?.status === 200;
        });
      } catch (error) {
        throw new Error(`${name} did not get ready: ${JSON.stringify(last)}`, { cause: error });
      }
    },
    log: () => current?.log() ?? "",
    async [Symbol.asyncDispose]() {
      await current?.end("SIGKILL");
    },
  };
};
