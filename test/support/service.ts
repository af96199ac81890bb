import { join } from "node:path";
import { configFrom } from "@rubrica/config";
import { createLogger } from "@rubrica/http";
import { type Runtime, systemRuntime } from "@rubrica/runtime";
import { freePort, type RubricaClient, rubricaClient, temporaryFolder, UNLIMITED } from "@rubrica/test-kit";
import type { Faults } from "../../apps/standalone/src/apps.ts";
import { type Service, startService } from "../../apps/standalone/src/service.ts";

export interface TestService extends AsyncDisposable {
  url: string;
  dataDir: string;
  client: RubricaClient;
  service: Pick<Service, "welcome" | "keys">;
  /** All that was logged so far. */
  log(): string;
  /** Ends the service; its folder stays until it is disposed of. */
  close(): Promise<void>;
}

export interface TestServiceOptions {
  faults?: Faults;
  /** Environment variables beside DATA_DIR and PORT. Requests are not limited unless these say so. */
  environment?: Readonly<Record<string, string>>;
  /** Default: the system's. */
  runtime?: Runtime;
  /** Where it keeps what it keeps, also afterwards. Default: a folder of its own, which goes with it. */
  dataDir?: string;
}

/** The whole service in this process, on a port and in a folder of its own; disposing of it takes both away. */
export const serviceInProcess = async (options: TestServiceOptions = {}): Promise<TestService> => {
  const { faults, environment, runtime = systemRuntime() } = options;
  const folder = temporaryFolder();
  const dataDir = options.dataDir ?? join(folder.path, "data");
  const port = await freePort();
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const config = configFrom({ DATA_DIR: dataDir, PORT: String(port), ...UNLIMITED, ...environment });
  const logger = createLogger({ clock: runtime.clock, level: config.logLevel, stream });
  const service = await startService(config, runtime, logger, faults);
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= service.close();
    return closed;
  };
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    dataDir,
    client: rubricaClient({ url, apiKey: service.keys.demo?.apiKey ?? "", simulatorKey: service.keys.simulator }),
    service,
    log: () => lines.join(""),
    close,
    async [Symbol.asyncDispose]() {
      await close();
      folder[Symbol.dispose]();
    },
  };
};
