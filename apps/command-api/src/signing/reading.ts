import { openPage } from "@rubrica/domain";
import { binary, HttpError, type HttpServer } from "@rubrica/http";
import { z } from "zod";
import { contextOf, originOf } from "../context.ts";
import type { CommandApiDependencies } from "../dependencies.ts";
import { Overview, overviewOf } from "./overview.ts";
import { answering, refusalOf } from "./refusals.ts";
import { bodyErrors, commonErrors, errorOf, refused, TokenParams } from "./schemas.ts";
import { sessionOf, unknownLinkBody } from "./session.ts";

const PDF = "application/pdf";
const notAvailable = { error: "The signed document is not available yet", code: "not_available" };

const Opened = z
  .object({ opened: z.literal(true) })
  .meta({ examples: [{ opened: true }] })
  .describe("It is on record.");

/** What the signing page reads: the overview, the document as it will be signed, the sealed one; and that it was opened. */
export const readingRoutes = (app: HttpServer, dependencies: CommandApiDependencies): void => {
  const { handlers, files } = dependencies;
  const schema = { tags: ["signing"], params: TokenParams };

  app.get(
    "/api/signing/:token",
    {
      schema: {
        ...schema,
        operationId: "signingOverview",
        summary: "The document as its signer sees it",
        description:
          "What a signing page shows: who asks, what for, where it stands, and whether it can be signed now.",
        response: { 200: Overview, ...commonErrors },
      },
    },
    async (request) => overviewOf(await sessionOf(dependencies, request.params.token)),
  );

  app.get(
    "/api/signing/:token/document",
    {
      schema: {
        ...schema,
        operationId: "documentToSign",
        summary: "The PDF as it will be signed",
        description: "The bytes whose SHA-256 is the overview's `document_sha256`: what is shown is what is signed.",
        response: {
          200: binary(PDF, "The PDF."),
          ...commonErrors,
          409: refused(refusalOf("document_being_prepared")),
        },
      },
    },
    async (request, reply) => {
      const { documentId, document } = await sessionOf(dependencies, request.params.token);
      const file = "file" in document ? document.file : null;
      if (!file) throw new HttpError(409, refusalOf("document_being_prepared"));
      return reply.type(PDF).send(await files.get(documentId, file.sha256));
    },
  );

  app.get(
    "/api/signing/:token/signed",
    {
      schema: {
        ...schema,
        operationId: "sealedDocument",
        summary: "The sealed PDF, once it is there",
        description: "For the signer, once every signer has signed and the document was sealed.",
        response: {
          200: binary(PDF, "The sealed PDF."),
          ...commonErrors,
          404: errorOf("No such link, or the document is not sealed yet.", unknownLinkBody, notAvailable),
        },
      },
    },
    async (request, reply) => {
      const { documentId, document } = await sessionOf(dependencies, request.params.token);
      const seal = document.status === "completed" ? document.seal : null;
      if (!seal) throw new HttpError(404, notAvailable);
      return reply.type(PDF).send(await files.get(documentId, seal.file.sha256));
    },
  );

  app.post(
    "/api/signing/:token/opened",
    {
      schema: {
        ...schema,
        operationId: "signingPageOpened",
        summary: "Tell that the page was opened by a person",
        description: "For the page's script: chat previews fetch links, people run scripts. May be told again.",
        response: { 200: Opened, ...bodyErrors, ...commonErrors },
      },
    },
    async (request) => {
      const { documentId, accountId, signer, linkNumber } = await sessionOf(dependencies, request.params.token);
      const command = { signerId: signer.signerId, linkNumber, origin: originOf(request) };
      await answering(
        handlers.documents.handle(documentId, openPage, command, contextOf(request, "signer", accountId)),
      );
      return { opened: true as const };
    },
  );
};
