import { systemRuntime } from "@rubrica/runtime";
import { apiKeySha256 } from "@rubrica/secrets";
import type { AccountDirectory, KeyEntry } from "../src/index.ts";
import { createHttpServer, createLogger, type HttpServer, type HttpServerOptions } from "../src/index.ts";

/** A server whose log lines are kept. */
export const loggedServer = (
  options: Partial<HttpServerOptions> = {},
): { app: HttpServer; lines: () => Record<string, unknown>[] } => {
  const written: string[] = [];
  const runtime = systemRuntime();
  const logger = createLogger({ clock: runtime.clock, stream: { write: (line) => written.push(line) } });
  const app = createHttpServer({ runtime, logger, ...options });
  return { app, lines: () => written.map((line) => JSON.parse(line)) };
};

/** A directory over a map that tests fill; `refresh` runs `onRefresh`. */
export const directoryOf = (
  keys: Record<string, KeyEntry>,
  onRefresh: () => Promise<void> = async () => undefined,
): AccountDirectory & { refreshes: number; add(key: string, entry: KeyEntry): void } => {
  const entries = new Map(Object.entries(keys).map(([key, entry]) => [apiKeySha256(key), entry]));
  return {
    refreshes: 0,
    add: (key, entry) => void entries.set(apiKeySha256(key), entry),
    find: async (sha256) => entries.get(sha256),
    anyUnreadable: async () => false,
    async refresh() {
      this.refreshes += 1;
      await onRefresh();
    },
    sameTeam: async (a, b) => a === b,
    teammatesOf: async () => [],
  };
};
