import { openPage } from "@rubrica/domain";
import { binary, HttpError, type HttpServer } from "@rubrica/http";
import { z } from "zod";
import { contextOf, originOf } from "../context.ts";
import type { CommandApiDependencies } from "../dependencies.ts";
import { Overview, overviewOf } from "./overview.ts";
import { answering } from "./refusals.ts";
import { ErrorBody, TokenParams } from "./schemas.ts";
import { sessionOf } from "./session.ts";

const PDF = "application/pdf";
const notYet = () => new HttpError(409, { error: "The document is being prepared", code: "document_being_prepared" });
const noFile = () => new HttpError(404, { error: "The signed document is not available yet", code: "not_available" });

/** What the signing page reads: the overview, the document as it will be signed, the sealed one; and that it was opened. */
export const readingRoutes = (app: HttpServer, dependencies: CommandApiDependencies): void => {
  const { handlers, files } = dependencies;
  const schema = { tags: ["signing"], params: TokenParams };

  app.get(
    "/api/signing/:token",
    {
      schema: { ...schema, summary: "The document as its signer sees it", response: { 200: Overview, 404: ErrorBody } },
    },
    async (request) => overviewOf(await sessionOf(dependencies, request.params.token)),
  );

  app.get(
    "/api/signing/:token/document",
    {
      schema: {
        ...schema,
        summary: "The PDF as it will be signed",
        response: { 200: binary(PDF, "The PDF."), 404: ErrorBody, 409: ErrorBody },
      },
    },
    async (request, reply) => {
      const { documentId, document } = await sessionOf(dependencies, request.params.token);
      if (!("file" in document)) throw notYet();
      return reply.type(PDF).send((await files.get(documentId, document.file.sha256)) as never);
    },
  );

  app.get(
    "/api/signing/:token/signed",
    {
      schema: {
        ...schema,
        summary: "The sealed PDF, once it is there",
        response: { 200: binary(PDF, "The sealed PDF."), 404: ErrorBody },
      },
    },
    async (request, reply) => {
      const { documentId, document } = await sessionOf(dependencies, request.params.token);
      const seal = document.status === "completed" ? document.seal : null;
      if (!seal) throw noFile();
      return reply.type(PDF).send((await files.get(documentId, seal.file.sha256)) as never);
    },
  );

  app.post(
    "/api/signing/:token/opened",
    {
      schema: {
        ...schema,
        summary: "Tell that the page was opened by a person",
        response: { 200: z.object({ opened: z.literal(true) }), 404: ErrorBody },
      },
    },
    async (request) => {
      const { documentId, accountId, signer } = await sessionOf(dependencies, request.params.token);
      const command = { signerId: signer.signerId, origin: originOf(request) };
      await answering(
        handlers.documents.handle(documentId, openPage, command, contextOf(request, "signer", accountId)),
      );
      return { opened: true as const };
    },
  );
};
