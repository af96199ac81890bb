import { createHttpServer, type HttpServer } from "@rubrica/http";
import type { Host } from "../host.ts";
import { listen } from "../listen.ts";

/** Who asks for metrics is one or two programs. */
const MAX_CONNECTIONS = 16;

/**
 * Serves a process' metrics at `/metrics`, where they are to be served: never where anything else is. They want no key.
 * @throws {ListenError}
 */
export const serveMetrics = async ({
  config,
  runtime,
  logger,
  metrics,
}: Pick<Host, "config" | "runtime" | "logger" | "metrics">): Promise<HttpServer | undefined> => {
  if (!config.metrics) return undefined;
  // Metrics are read every few seconds: only failures are worth a log line.
  const quiet = logger.child({}, { level: logger.level === "silent" ? "silent" : "warn" });
  const server = createHttpServer({ runtime, logger: quiet, maxConnections: MAX_CONNECTIONS });
  server.get("/metrics", { config: { countedBy: "nobody" } }, async (_request, reply) => {
    const text = await metrics.text();
    return reply.type(metrics.contentType).send(text);
  });
  await listen(server, config.metrics, { host: "METRICS_HOST", port: "METRICS_PORT" });
  return server;
};
