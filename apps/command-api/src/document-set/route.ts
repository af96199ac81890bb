import { type HttpServer, senderOf } from "@rubrica/http";
import type { FastifyRequest } from "fastify";
import type { CommandApiDependencies } from "../dependencies.ts";
import { FairShare } from "../fair-share.ts";
import { fileAsTextBytes } from "../fields/base64.ts";
import { IdempotencyHeaders } from "../idempotency.ts";
import { type Parsed, parsedBody } from "../schemas.ts";
import { warn } from "../warnings.ts";
import { accept, addresses, type Version } from "./accept.ts";
import {
  badDocumentRequest,
  currentAnswer,
  DocumentSetAnswer,
  documentSetErrors,
  LegacyDocumentSetAnswer,
  legacyAnswer,
} from "./answer.ts";
import { type DocumentSetBody, documentSetBody, legacyDocumentSetBody } from "./body.ts";
import { refuseFloods } from "./check.ts";
import { misspeltIn } from "./warnings.ts";

const REST_OF_BODY_BYTES = 1_048_576;
/** JSON values outside `custom_parameters`: more than the fields of any valid request have. */
const VALUES_OF_THE_REST = 10_000;

const HOW =
  "Each signer is reached on their phone's messaging app, in signing order, and gets a personal link. A phone has one " +
  "active document at a time: further ones wait in line. What is odd about a request that is taken is told in the " +
  "header `rubrica-warnings`, a JSON array of `{path, message}`.";

/** `POST /api/v2/documentSet` and the legacy `POST /api/documentSet`: ask for a document to be signed. */
export const documentSetRoutes = (app: HttpServer, dependencies: CommandApiDependencies): void => {
  const { allowPrivateUrls, runtime } = dependencies;
  const share = new FairShare(runtime.clock);
  const limits = { ...dependencies.limits, allowPrivateUrls };
  const taken = (request: FastifyRequest, parsed: Parsed<DocumentSetBody>, version: Version) =>
    share.run(senderOf(request).name, () => accept(request, parsed, dependencies, version));
  const bodies = { v2: documentSetBody(limits), legacy: legacyDocumentSetBody(limits) };
  const common = {
    bodyLimit: fileAsTextBytes(limits.documentBytes) + REST_OF_BODY_BYTES,
    // What is wrong with the body and what is wrong with the document are told together.
    attachValidation: true,
    config: {
      errors: { badRequest: badDocumentRequest },
      json: {
        longText: "document",
        bytes: REST_OF_BODY_BYTES,
        // Each value takes a byte at least.
        values: limits.customParametersBytes + VALUES_OF_THE_REST,
      },
    },
  };
  const schema = { tags: ["documents"], headers: IdempotencyHeaders };
  app.addHook("preValidation", async (request) => {
    refuseFloods(request.body, limits);
    const body = request.routeOptions.url === addresses.legacy ? bodies.legacy : bodies.v2;
    warn(request, misspeltIn(request.body, Object.keys(body.shape)));
  });
  app.post(
    addresses.v2,
    {
      ...common,
      schema: {
        ...schema,
        operationId: "requestDocument",
        summary: "Ask for a document to be signed",
        description: HOW,
        body: bodies.v2,
        response: { 200: DocumentSetAnswer, ...documentSetErrors },
      },
    },
    async (request) => currentAnswer(await taken(request, parsedBody(request), "v2"), dependencies),
  );
  app.post(
    addresses.legacy,
    {
      ...common,
      schema: {
        ...schema,
        operationId: "requestDocumentLegacy",
        summary: "Ask for a document to be signed (legacy)",
        description: `${HOW} The signed file gets a public address at the end; prefer the current version.`,
        deprecated: true,
        body: bodies.legacy,
        response: { 200: LegacyDocumentSetAnswer, ...documentSetErrors },
      },
    },
    async (request) => legacyAnswer(await taken(request, parsedBody(request), "legacy"), dependencies),
  );
};
