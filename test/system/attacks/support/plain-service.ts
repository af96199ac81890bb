import { join } from "node:path";
import {
  type RubricaClient,
  rubricaClient,
  type ServiceProcess,
  startServiceProcess,
  temporaryFolder,
} from "@rubrica/test-kit";
import { expect } from "vitest";

/** A service in a process of its own, for attacks that hold nobody up: on what is believed, shown and kept. */
export interface PlainService extends AsyncDisposable {
  service: ServiceProcess;
  client: RubricaClient;
  dataDir: string;
}

/** Disposing of it expects that it answered nothing with a 500. An empty variable is as one that is not set. */
export const plainService = async (environment: Readonly<Record<string, string>> = {}): Promise<PlainService> => {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  const service = await startServiceProcess({ dataDir, environment });
  return {
    service,
    client: rubricaClient(service),
    dataDir,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
      expect(service.log().match(/^.*"status":500.*$/gm) ?? []).toEqual([]);
    },
  };
};
