import { createHash, timingSafeEqual } from "node:crypto";
import { errorBodiesOf } from "./error-bodies.ts";
import { HttpError } from "./errors.ts";
import { countedBy, countStranger } from "./request-counts.ts";
import type { HttpServer } from "./server.ts";

export interface BearerOptions {
  /** What `Authorization: Bearer` has to hold. Undefined: nobody has a key. */
  key: string | undefined;
  /** What the one who has the key is called, where bodies are held and queues shared. */
  name: string;
}

/**
 * Guards the routes that are registered with `app` from here on by one key, compared in constant time before a byte of
 * the body is read: 401 for any other. Requests with it are not counted, those without it by their address.
 */
export const guardByBearer = (app: HttpServer, { key, name }: BearerOptions): void => {
  const digestOf = (text: string) => createHash("sha256").update(text).digest();
  const expected = key === undefined ? undefined : digestOf(`Bearer ${key}`);
  countedBy(app, "key");
  app.addHook("onRequest", async (request, reply) => {
    if (!expected || !timingSafeEqual(digestOf(request.headers.authorization ?? ""), expected)) {
      countStranger(request, reply);
      throw new HttpError(401, errorBodiesOf(request).unauthorized);
    }
    request.sender = { kind: "account", name };
  });
};
