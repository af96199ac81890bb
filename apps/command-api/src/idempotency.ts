import { acceptRequest } from "@rubrica/domain";
import { callerOf, HttpError } from "@rubrica/http";
import { canonicalPieces, inTurns, type JsonObject } from "@rubrica/json";
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

/** A request that bears an Idempotency-Key. */
export interface RepeatableRequest {
  /** The id of what a request with this key makes or made; undefined when this is the first. @throws {HttpError} 409 */
  resultId(): Promise<string | undefined>;
  /** Takes the key for what this request is about to make, and gives its id: the first taker's. @throws {HttpError} 409 */
  claim(resultId: string): Promise<string>;
}

const otherBody = () => new HttpError(409, { error: "Idempotency-Key was used before with another body" });

/**
 * A request as its Idempotency-Key names it within its account and route, or undefined when it bears none. What it makes
 * has an id that was recorded before it was made, so that a request which was cut goes on where it was.
 *
 * @param route as the API's users know it: `POST /api/v2/documentSet`
 * @param body after it was checked: what its schema ignores makes no other request
 */
export const repeatableRequest = async (
  { handlers, secrets }: Pick<CommandApiDependencies, "handlers" | "secrets">,
  request: FastifyRequest,
  route: string,
  body: JsonObject,
): Promise<RepeatableRequest | undefined> => {
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string") return undefined;
  const { accountId } = callerOf(request);
  const requestId = secrets.lastingId("request", [accountId, route, key]);
  const hmacs = (await secrets.longHmacs("request", await inTurns(canonicalPieces(body)))).map((mac) =>
    mac.toString("hex"),
  );
  const [bodyHmac = ""] = hmacs;
  const ofSameBody = (first: { bodyHmac: string; resultId: string }): string => {
    if (!hmacs.includes(first.bodyHmac)) throw otherBody();
    return first.resultId;
  };
  return {
    async resultId() {
      const first = await handlers.requests.load(requestId);
      return first.status === "none" ? undefined : ofSameBody(first);
    },
    async claim(resultId) {
      const command = { route, bodyHmac, resultId };
      const context = contextOf(request, "integrator", accountId);
      const { state } = await handlers.requests.handle(requestId, acceptRequest, command, context);
      if (state.status === "none") throw new Error("the request was not recorded");
      return ofSameBody(state);
    },
  };
};
