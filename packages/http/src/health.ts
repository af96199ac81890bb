import { type Clock, WAIT_ENDED } from "@rubrica/runtime";
import { z } from "zod";
import type { HttpPlugin } from "./server.ts";

/**
 * Resolves when a part that the service needs is there, rejects when it is not: {@link NotReady} says in words why.
 * A part that does its work for most, and not for all, resolves with words of its own: they too name no file, no person
 * and no value.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: most checks have nothing to say.
export type ReadinessCheck = () => Promise<string | void>;

/** Why a part is not there, in words that anybody may read: they name no file, no person and no value. */
export class NotReady extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "NotReady";
  }
}

/** For one check. */
const TIMEOUT_MS = 2_000;

export interface HealthOptions {
  clock: Clock;
  /** By the name that `/readyz` tells. */
  checks: Readonly<Record<string, ReadinessCheck>>;
}

const Live = z.object({ status: z.literal("ok") }).meta({ examples: [{ status: "ok" }] });
const Ready = z
  .object({
    status: z.literal("ready"),
    degraded: z
      .record(z.string(), z.string())
      .optional()
      .describe("What the named parts can't do, while all else goes on; left out when there is nothing."),
  })
  .meta({
    examples: [
      { status: "ready" },
      { status: "ready", degraded: { streams: "1 stream can't be read, and is set aside (document: 1)" } },
    ],
  })
  .describe("Every part answers.");
const Unready = z
  .object({
    status: z.literal("not ready"),
    failing: z.array(z.string()).describe("The parts that can't do their work."),
    reasons: z.record(z.string(), z.string()).describe("Why, for each of them."),
  })
  .meta({
    examples: [
      {
        status: "not ready",
        failing: ["data folder"],
        reasons: { "data folder": "it can't be written: no space is left on its disk" },
      },
    ],
  })
  .describe("The named parts can't do their work.");

/** What was found out of a part: why it is not there, or what it can't do. Neither: it does its work. */
export interface PartHealth {
  failure?: string;
  degraded?: string;
}

const healthOf = async (check: ReadinessCheck, { clock }: HealthOptions): Promise<PartHealth> => {
  const settled = new AbortController();
  const late = clock
    .wait(TIMEOUT_MS, { signal: settled.signal, background: true })
    .then(() => ({ failure: "it does not answer" }));
  const passed = check().then(
    (words) => (words ? { degraded: words } : {}),
    (error) => ({ failure: error instanceof NotReady ? error.message : "it answers with an error" }),
  );
  return Promise.race([passed, late]).finally(() => settled.abort(WAIT_ENDED));
};

/** Asks all parts at once. */
export const healthOfParts = async (options: HealthOptions): Promise<(readonly [string, PartHealth])[]> =>
  Promise.all(
    Object.entries(options.checks).map(async ([name, check]) => [name, await healthOf(check, options)] as const),
  );

const named = (parts: readonly (readonly [string, PartHealth])[], what: keyof PartHealth): Record<string, string> =>
  Object.fromEntries(parts.flatMap(([name, part]) => (part[what] ? [[name, part[what]]] : [])));

/** `GET /livez`, which waits for nothing, and `GET /readyz`, which asks the parts. Neither needs a key. */
export const health =
  (options: HealthOptions): HttpPlugin =>
  async (app) => {
    app.get(
      "/livez",
      {
        config: { countedBy: "nobody" },
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
        config: { countedBy: "nobody" },
        schema: {
          tags: ["operation"],
          operationId: "readyz",
          summary: "Can the service do its work?",
          description: "Asks every part that the service needs, each for a limited time, and says of what fails why.",
          response: { 200: Ready, 503: Unready },
        },
      },
      async (_request, reply) => {
        const parts = await healthOfParts(options);
        const reasons = named(parts, "failure");
        const failing = Object.keys(reasons);
        if (failing.length > 0) return reply.code(503).send({ status: "not ready" as const, failing, reasons });
        const degraded = named(parts, "degraded");
        return { status: "ready" as const, ...(Object.keys(degraded).length > 0 ? { degraded } : {}) };
      },
    );
  };
