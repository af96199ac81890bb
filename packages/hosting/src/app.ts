import { once } from "node:events";
import type { HttpPlugin, ReadinessCheck } from "@rubrica/http";
import type { Measurements } from "./metrics/metrics.ts";

/**
 * What a process serves and does: an app, or what several apps of it share. Whoever composes a process opens the parts,
 * and gives each what it shares with others.
 */
export interface App {
  /** Its routes, to be registered with a server of `createHttpServer`. */
  routes?: HttpPlugin;
  /** What `/readyz` asks, by the name that it tells. Where two apps ask under one name, they ask the same. */
  checks?: Readonly<Record<string, ReadinessCheck>>;
  /** What its metrics are measured by. Where two apps measure the same metric, they measure the same. */
  measurements?: Measurements;
  /**
   * What it does beside requests, until `signal` is aborted and what is in flight has ended. When it rejects, the process
   * ends: it would do half its work.
   */
  run?(signal: AbortSignal): Promise<void>;
  /** Lets go of what it holds; called once nothing is served and `run` has ended. */
  close?(): Promise<void>;
}

/** Several as one. They close one after the other, the last first: what comes later may need what came before. */
export const compose = (apps: readonly App[]): Required<App> => ({
  async routes(server) {
    for (const { routes } of apps) if (routes) await server.register(routes);
  },
  checks: Object.assign({}, ...apps.map(({ checks }) => checks)),
  measurements: Object.assign({}, ...apps.map(({ measurements }) => measurements)),
  async run(signal) {
    await Promise.all(apps.map((app) => app.run?.(signal)));
  },
  async close() {
    for (const app of apps.toReversed()) await app.close?.();
  },
});

/** Resolves when the signal is aborted. */
export const aborted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, "abort");
};
