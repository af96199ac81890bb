import { acceptRequest } from "@rubrica/domain";
import { callerOf, HttpError } from "@rubrica/http";
import { canonicalPieces, inSlices, type JsonObject } from "@rubrica/json";
import { longHmacBy } from "@rubrica/secrets";
import { KeyDestroyedError } from "@rubrica/storage";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { contextOf } from "./context.ts";
import type { CommandApiDependencies } from "./dependencies.ts";

/** Visible ASCII but the comma: two headers of the name are joined by one, and are no key. */
const KEY = /^[!-+\--~]{1,255}$/;

/** The headers of a request that may be repeated. */
export const IdempotencyHeaders = z.looseObject({
  "idempotency-key": z
    .string()
    .regex(KEY, "must be 1 to 255 visible ASCII characters without commas")
    .optional()
    .describe("Makes the request safe to repeat: the same key with the same body is answered as the first time."),
});

/** A request that has an Idempotency-Key. */
export interface RepeatableRequest {
  /** The id of what a request with this key makes or made; undefined when this is the first. @throws {HttpError} 409 */
  resultId(): Promise<string | undefined>;
  /** Records what this request is about to make under its key, and gives the id that was recorded first. @throws {HttpError} 409 */
  reserve(resultId: string): Promise<string>;
}

const otherBody = () => new HttpError(409, { error: "Idempotency-Key was used before with another body" });
/** Nothing tells then whether the body is the same. */
const ofErased = () =>
  new HttpError(409, { error: "Idempotency-Key was used before, for a document that was erased since" });

const unlessDestroyed = (error: unknown): void => {
  if (!(error instanceof KeyDestroyedError)) throw error;
};

/**
 * A request as its Idempotency-Key names it within its account and route, or undefined when it has none. What it makes
 * has an id that was recorded before it was made, so that a request which was cut goes on where it was.
 *
 * @param route as the API's users know it: `POST /api/v2/documentSet`
 * @param body after it was checked: what its schema ignores makes no other request
 * @param documentOf the document that is named by what the request makes: what the body says of people is then kept
 *   by a MAC of that document's key, against which nothing can be tested once it is erased. Without one the MAC is of SECRET
 */
export const repeatableRequest = async (
  { handlers, secrets, keys }: Pick<CommandApiDependencies, "handlers" | "secrets" | "keys">,
  request: FastifyRequest,
  route: string,
  body: JsonObject,
  documentOf?: (resultId: string) => string,
): Promise<RepeatableRequest | undefined> => {
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string") return undefined;
  const { accountId } = callerOf(request);
  const requestId = secrets.lastingId("request", [accountId, route, key]);
  const pieces = await inSlices(canonicalPieces(body));
  const own = async (resultId: string): Promise<string | undefined> => {
    const key = documentOf && (await keys.find(documentOf(resultId)));
    return key && (await longHmacBy(key, "request", pieces)).toString("hex");
  };
  const bySecret = async (): Promise<string[]> =>
    (await secrets.longHmacs("request", pieces)).map((hmac) => hmac.toString("hex"));
  const ofSameBody = async ({ bodyHmac, resultId }: { bodyHmac: string; resultId: string }): Promise<string> => {
    // Former releases made all of them of SECRET.
    const hmac = await own(resultId);
    if (hmac === bodyHmac || (await bySecret()).includes(bodyHmac)) return resultId;
    throw documentOf && hmac === undefined ? ofErased() : otherBody();
  };
  return {
    async resultId() {
      const first = await handlers.requests.load(requestId);
      return first.status === "none" ? undefined : ofSameBody(first);
    },
    async reserve(resultId) {
      // An erased document has no key any more, and needs none: nothing that names people is read of it.
      if (documentOf) await keys.obtain(documentOf(resultId)).catch(unlessDestroyed);
      const command = { route, bodyHmac: (await own(resultId)) ?? (await bySecret())[0] ?? "", resultId };
      const context = contextOf(request, "integrator", accountId);
      const { state } = await handlers.requests.handle(requestId, acceptRequest, command, context);
      if (state.status === "none") throw new Error("the request was not recorded");
      return ofSameBody(state);
    },
  };
};
