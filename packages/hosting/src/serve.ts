import {
  createHttpServer,
  type HttpServer,
  health as healthRoutes,
  type OpenApiOptions,
  openApi,
  shutDown,
} from "@rubrica/http";
import { isOutage } from "@rubrica/open-engines";
import { type App, compose } from "./app.ts";
import type { Host } from "./host.ts";
import { listen } from "./listen.ts";
import { readinessMeasurements } from "./metrics/measurements.ts";
import { serveMetrics } from "./metrics/serve.ts";

/** For requests in flight; what is left of ten seconds is for the stores. */
const SHUTDOWN_GRACE_MS = 8_000;

/** An app that is served. */
export interface Running {
  /** Rejects when what goes on beside the requests ends by an error: the process then does half its work. */
  failed: Promise<never>;
  /** Stops taking requests, ends what is in flight, closes the app. */
  close(): Promise<void>;
}

/**
 * Serves an app where the configuration says, with `/livez` and `/readyz`, its metrics where these are to be, and
 * runs what it does beside requests; resolves when it answers. What can't be served is closed.
 * @param description what the API's reference says before its endpoints. Default: there is no reference.
 * @throws {ListenError}
 */
export const serve = async (
  host: Pick<Host, "config" | "runtime" | "logger" | "metrics">,
  served: App,
  description?: OpenApiOptions,
): Promise<Running> => {
  const { config, runtime, logger, metrics } = host;
  const app = compose([served]);
  const stopping = new AbortController();
  const background = app.run(stopping.signal);
  const failed = new Promise<never>((_resolve, reject) => background.catch(reject));
  // Nobody awaits it while the service starts: a rejection then must not count as unhandled.
  failed.catch(() => {});
  const stop = async (): Promise<void> => {
    stopping.abort();
    try {
      await background;
    } finally {
      await app.close();
    }
  };
  const { trustProxy, rates } = config;
  const server = createHttpServer({ runtime, logger, trustProxy, rates, isOutage, onAnswered: metrics.answered });
  const health = { clock: runtime.clock, checks: app.checks };
  metrics.measure({ ...readinessMeasurements(health), ...app.measurements });
  let metricsServer: HttpServer | undefined;
  try {
    metricsServer = await serveMetrics(host);
    if (description) await server.register(openApi, description);
    await server.register(healthRoutes(health));
    await server.register(app.routes);
    await listen(server, config);
  } catch (error) {
    await metricsServer?.close();
    await stop();
    throw error;
  }
  return {
    failed,
    async close() {
      await shutDown(server, runtime, SHUTDOWN_GRACE_MS);
      await stop();
      await metricsServer?.close();
    },
  };
};
