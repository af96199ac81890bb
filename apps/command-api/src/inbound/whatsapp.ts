import { receiveNotices } from "@rubrica/commands";
import { MAX_NOTICES } from "@rubrica/events";
import { BadRequestError, countedBy, countStranger, errorBodiesOf, HttpError, type HttpPlugin } from "@rubrica/http";
import { readJson } from "@rubrica/json";
import { challengeOf, isSignature, isSignedByApp, noticesOf } from "@rubrica/messaging/whatsapp";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CommandApiDependencies } from "../dependencies.ts";

/** Meta's calls hold up to 3 MB. */
const MAX_BODY_BYTES = 3_145_728;
/** A thousand statuses have some 30,000 values. */
const BOUNDS = { values: 200_000, depth: 32 };
const SIGNATURE = "x-hub-signature-256";

/** Not in the API's description: no integrator calls it. */
const schema = { hide: true };

/** A call that is not Meta's, counted by its address. */
const strange = (status: 401 | 403, request: FastifyRequest, reply: FastifyReply): HttpError => {
  countStranger(request, reply);
  return new HttpError(status, errorBodiesOf(request).unauthorized);
};

/**
 * Takes what Meta tells of WhatsApp messages (docs/whatsapp.md). The raw bytes are what is signed. What is answered with
 * 200 is kept, as notices that name no phone; what it is about is found out later. Where signers are not reached by
 * WhatsApp, no call is Meta's.
 */
export const whatsAppRoutes =
  ({ handlers, runtime, whatsapp }: Pick<CommandApiDependencies, "handlers" | "runtime" | "whatsapp">): HttpPlugin =>
  async (app) => {
    countedBy(app, "key");
    app.get<{ Querystring: Record<string, unknown> }>("/inbound/whatsapp", { schema }, async (request, reply) => {
      const challenge = whatsapp && challengeOf(request.query, whatsapp.verifyToken);
      if (challenge === undefined) throw strange(403, request, reply);
      return reply.type("text/plain").send(challenge);
    });

    app.removeContentTypeParser("application/json");
    app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    const refuseUnsigned = async (request: FastifyRequest, reply: FastifyReply) => {
      if (!whatsapp || !isSignature(request.headers[SIGNATURE])) throw strange(401, request, reply);
    };
    const route = { schema, bodyLimit: MAX_BODY_BYTES, onRequest: refuseUnsigned };
    app.post("/inbound/whatsapp", route, async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      if (!whatsapp || !isSignedByApp(body, request.headers[SIGNATURE], whatsapp.appSecrets)) {
        throw strange(401, request, reply);
      }
      const notices = noticesOf(await parsed(body), whatsapp);
      for (let at = 0; at < notices.length; at += MAX_NOTICES) {
        await receiveNotices(handlers, "wpp", notices.slice(at, at + MAX_NOTICES), runtime.clock);
      }
      return { received: notices.length };
    });
  };

const parsed = async (body: Buffer): Promise<unknown> => {
  try {
    return await readJson(body, BOUNDS);
  } catch {
    throw new BadRequestError([{ path: "", message: "the body is not JSON that can be read" }]);
  }
};
