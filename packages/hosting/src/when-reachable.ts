import { createHttpServer, HttpError, health, NotReady } from "@rubrica/http";
import { EngineUnreachable } from "@rubrica/open-engines";
import type { Host } from "./host.ts";
import { listen } from "./listen.ts";

/** What `/readyz` says of an engine over the wire. */
export const NO_ANSWER = "it does not answer";

const PAUSE_MS = 500;

type Surroundings = Pick<Host, "config" | "runtime" | "logger">;

/**
 * What `open` gives, which is tried again as long as an engine over the wire does not answer. Meanwhile the process is
 * alive, and not ready: `/readyz` names the engine once it is known, and whatever else is asked for is a 503.
 */
export const whenReachable = async <Opened>(
  surroundings: Surroundings,
  open: () => Promise<Opened>,
): Promise<Opened> => {
  const { runtime, logger } = surroundings;
  if (!isAnyOverTheWire(surroundings.config)) return open();
  const waiting = await wait(surroundings);
  let told: string | undefined;
  try {
    for (;;) {
      try {
        return await open();
      } catch (error) {
        if (!(error instanceof EngineUnreachable)) throw error;
        const { engine, message } = error;
        if (told !== engine) logger.warn({ err: error.cause }, `${message} It is tried again.`);
        told = engine;
        waiting.isWaitedFor(engine);
      }
      await runtime.clock.wait(PAUSE_MS);
    }
  } finally {
    await waiting.server.close();
    if (told !== undefined) logger.info("the engines answer");
  }
};

const isAnyOverTheWire = ({ eventStoreUrl, mongodbUrl, natsUrl }: Host["config"]): boolean =>
  [eventStoreUrl, mongodbUrl, natsUrl].some((url) => url !== undefined);

/** Serves that something is waited for. */
const wait = async ({ config, runtime, logger }: Surroundings) => {
  const server = createHttpServer({ runtime, logger, trustProxy: config.trustProxy });
  // By the engine's name, which may become another's.
  const waited = () => Promise.reject(new NotReady(NO_ANSWER));
  const checks: Record<string, () => Promise<never>> = { engines: waited };
  await server.register(health({ clock: runtime.clock, checks }));
  server.all("/*", {
    config: { countedBy: "nobody" },
    async onRequest(_request, reply) {
      reply.header("retry-after", 2);
      throw new HttpError(503, { error: "The service is starting; try again shortly" });
    },
    handler: async () => undefined,
  });
  await listen(server, config);
  return {
    server,
    isWaitedFor(engine: string) {
      for (const name of Object.keys(checks)) delete checks[name];
      checks[engine] = waited;
    },
  };
};
