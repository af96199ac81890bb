import { type AcceptedDocument, acceptDocument, type DocumentToAccept } from "@rubrica/commands";
import { campaignOf, type OpenAccount, openedAccount } from "@rubrica/domain";
import { BadRequestError, callerOf, type Fault, type HttpServer } from "@rubrica/http";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { contextOf } from "../context.ts";
import type { CommandApiDependencies } from "../dependencies.ts";
import { type DocumentSetBody, documentSetBody } from "./body.ts";
import { badDocumentRequest, type ReadDocument, readDocument } from "./faults.ts";
import { faultsOfPlacements } from "./placements.ts";
import { BadDocumentRequest, DocumentSetAnswer, ErrorText } from "./schemas.ts";
import { toRequest } from "./to-request.ts";

const BASE64_OVERHEAD = 4 / 3;
const REST_OF_BODY_BYTES = 1_048_576;

/** `POST /api/v2/documentSet`: asks for a document to be signed. */
export const documentSetRoute = (app: HttpServer, dependencies: CommandApiDependencies): void => {
  const { limits } = dependencies;
  const Body = documentSetBody(limits);
  app.post(
    "/api/v2/documentSet",
    {
      bodyLimit: Math.ceil(limits.documentBytes * BASE64_OVERHEAD) + REST_OF_BODY_BYTES,
      // What is wrong with the body and what is wrong with the document are told together.
      attachValidation: true,
      config: { errors: { badRequest: badDocumentRequest } },
      schema: {
        tags: ["documents"],
        summary: "Ask for a document to be signed",
        description:
          "Each signer is reached on their phone's messaging app, in signing order, and gets a personal link. A phone has one active document at a time: further ones wait in line.",
        body: Body,
        response: {
          200: DocumentSetAnswer,
          400: BadDocumentRequest,
          401: ErrorText,
          403: ErrorText,
          413: ErrorText,
          500: ErrorText,
          503: ErrorText,
        },
      },
    },
    async (request) => {
      const { accountId } = callerOf(request);
      const documentId = dependencies.runtime.ids.uuidv7();
      const account = openedAccount(await dependencies.handlers.accounts.load(accountId));
      const { body, read } = await checkedRequest(request, dependencies, account);
      const document = toRequest(body, {
        documentId,
        account,
        read,
        ids: dependencies.runtime.ids,
        secrets: dependencies.secrets,
      });
      const context = contextOf(request, "integrator", accountId, documentId);
      const accepted = await acceptDocument(dependencies.handlers, dependencies.files, document, context);
      return answerOf(document, accepted, dependencies);
    },
  );
};

/** The body and its document, checked together. @throws {BadRequestError} naming every fault there is. */
const checkedRequest = async (
  request: FastifyRequest,
  { pdf, limits }: CommandApiDependencies,
  account: OpenAccount,
): Promise<{ body: DocumentSetBody; read: ReadDocument }> => {
  const faults: Fault[] = [];
  const invalid = request.validationError;
  if (invalid) {
    if (!(invalid instanceof BadRequestError)) throw invalid;
    faults.push(...invalid.faults);
  }
  const field = (request.body as { document?: unknown } | null)?.document;
  const read = typeof field === "string" ? await readOrFault(pdf, field, limits.documentBytes, faults) : undefined;
  if (invalid || !read) throw new BadRequestError(faults);
  const body = request.body as DocumentSetBody;
  if (body.campaign_id !== undefined && !campaignOf(account, body.campaign_id)) {
    faults.push({ path: "campaign_id", message: "is no campaign of this account" });
  }
  faults.push(...faultsOfPlacements(read.inspection, body.datos_firmantes, body.firma_en_todas_las_hojas ?? false));
  if (faults.length > 0) throw new BadRequestError(faults);
  return { body, read };
};

const readOrFault = async (
  pdf: CommandApiDependencies["pdf"],
  field: string,
  maxBytes: number,
  faults: Fault[],
): Promise<ReadDocument | undefined> => {
  try {
    return await readDocument(pdf, field, maxBytes);
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    faults.push(...error.faults);
    return undefined;
  }
};

const answerOf = (
  { documentId, signers }: DocumentToAccept,
  { createdAt, turn }: AcceptedDocument,
  { tokens, publicUrl }: CommandApiDependencies,
): z.infer<typeof DocumentSetAnswer> => ({
  id_seguimiento: documentId,
  created_at: Math.floor(Date.parse(createdAt) / 1000),
  has_queued_signers: turn.queued,
  urls: signers.map(({ signerId, idCustom, name, idNumber, phone }, index) => {
    const queued = turn.queued && turn.signerId === signerId;
    return {
      link: `${publicUrl}/s/${tokens.make(documentId, index)}`,
      name,
      dni: idNumber,
      contact: phone,
      method: "wpp",
      id_custom: idCustom,
      queued,
      queued_behind: turn.queued && queued ? turn.behindDocumentId : null,
    };
  }),
});
