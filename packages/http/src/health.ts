import type { Clock } from "@rubrica/runtime";
import { z } from "zod";
import type { HttpPlugin } from "./server.ts";

/** Resolves when a part that the service needs is there, rejects when it is not. */
export type ReadinessCheck = () => Promise<void>;

export interface HealthOptions {
  clock: Clock;
  /** By the name that `/readyz` tells. */
  checks: Readonly<Record<string, ReadinessCheck>>;
  /** For one check; default 2 s. */
  timeoutMs?: number;
}

const Live = z.object({ status: z.literal("ok") }).meta({ examples: [{ status: "ok" }] });
const Ready = z
  .object({ status: z.literal("ready") })
  .meta({ examples: [{ status: "ready" }] })
  .describe("Every part answers.");
const NotReady = z
  .object({ status: z.literal("not ready"), failing: z.array(z.string()) })
  .meta({ examples: [{ status: "not ready", failing: ["event store"] }] })
  .describe("The named parts do not answer.");

const passes = async (check: ReadinessCheck, { clock, timeoutMs = 2_000 }: HealthOptions): Promise<boolean> => {
  const settled = new AbortController();
  const late = clock.wait(timeoutMs, { signal: settled.signal, background: true }).then(() => false);
  const passed = check().then(
    () => true,
    () => false,
  );
  return Promise.race([passed, late]).finally(() => settled.abort());
};

/** `GET /livez`, which waits for nothing, and `GET /readyz`, which asks the parts. Neither needs a key. */
export const health =
  (options: HealthOptions): HttpPlugin =>
  async (app) => {
    app.get(
      "/livez",
      {
        schema: {
          tags: ["operation"],
          operationId: "livez",
          summary: "Is the process alive?",
          description: "Answers always and at once, whatever the stores do.",
          response: { 200: Live.describe("It is.") },
        },
      },
      async () => ({ status: "ok" as const }),
    );
    app.get(
      "/readyz",
      {
        schema: {
          tags: ["operation"],
          operationId: "readyz",
          summary: "Can the service do its work?",
          description: "Asks every part that the service needs, each for a limited time.",
          response: { 200: Ready, 503: NotReady },
        },
      },
      async (_request, reply) => {
        const names = Object.keys(options.checks);
        const results = await Promise.all(Object.values(options.checks).map((check) => passes(check, options)));
        const failing = names.filter((_, index) => !results[index]);
        if (failing.length > 0) return reply.code(503).send({ status: "not ready" as const, failing });
        return { status: "ready" as const };
      },
    );
  };
