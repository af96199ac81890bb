import { guardByBearer, type HttpPlugin } from "@rubrica/http";
import { z } from "zod";
import { CheckJson, checkOf, fileJson } from "./messages.ts";
import type { IdentitySimulator } from "./simulator.ts";

/** Three photos of 10 MB in Base64, and what is around them. */
const MAX_CHECK_BYTES = 44_040_192;
const hidden = { hide: true };

/**
 * The identity provider's side of docs/identity-provider.md, for whoever has the key. One check is read at a time: each
 * may take a hundred megabytes while it is being read.
 */
export const identityProviderRoutes =
  (simulator: IdentitySimulator, { key }: { key: string }): HttpPlugin =>
  async (app) => {
    guardByBearer(app, { key, name: "identity simulator" });

    await app.register(async (checks: typeof app) => {
      oneAtATime(checks);
      checks.post(
        "/simulator/identity/checks",
        { schema: { ...hidden, body: CheckJson }, bodyLimit: MAX_CHECK_BYTES },
        async ({ body }) => simulator.check(checkOf(body)),
      );
    });

    app.get(
      "/simulator/identity/subjects/:subject/evidence",
      { schema: { ...hidden, params: z.object({ subject: z.string() }) } },
      async ({ params: { subject } }, reply) => {
        const files = await simulator.evidence(subject);
        return files.length === 0
          ? reply.code(404).send({ error: "Nothing is kept of it" })
          : reply.send({ files: files.map(fileJson) });
      },
    );

    app.delete(
      "/simulator/identity/subjects/:subject",
      { schema: { ...hidden, params: z.object({ subject: z.string() }) } },
      async ({ params: { subject } }, reply) => {
        await simulator.forget(subject);
        return reply.code(204).send();
      },
    );
  };

/** A request's body is read once the answer to the one before has gone, or its sender has. */
const oneAtATime = (app: Parameters<HttpPlugin>[0]): void => {
  let last: Promise<unknown> = Promise.resolve();
  app.addHook("onRequest", async (_request, reply) => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = before.then(() => promise);
    reply.raw.once("close", resolve);
    await before;
  });
};
