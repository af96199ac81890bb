import { claimAnew, giveLine, stepOf, type TurnOutcome } from "@rubrica/commands";
import { correctSigner, openedAccount, type RequestedDocument, type Signer, type SignerPerson } from "@rubrica/domain";
import { derivedId } from "@rubrica/events";
import { badRequest, callerOf, HttpError, type HttpServer, senderOf, tooLargeText } from "@rubrica/http";
import { z } from "zod";
import { contextOf, requesterOf } from "../context.ts";
import type { CommandApiDependencies } from "../dependencies.ts";
import { IdempotencyHeaders, repeatableRequest } from "../idempotency.ts";
import { errorText, parsedBody, unsupportedEncoding } from "../schemas.ts";
import { type CheckedCorrection, CorrectionBody, checkedCorrection } from "./correction.ts";
import { DocumentParams, ownDocument, texts } from "./own-document.ts";
import { ownSigner, SignerParams, signerTexts, unlessRefused } from "./own-signer.ts";

const ROUTE = "PATCH /api/v2/documents/{id_seguimiento}/signers/{id_custom}";
const MAX_BODY_BYTES = 16_384;

const Answer = z
  .object({
    id_seguimiento: z.string(),
    id_custom: z.string(),
    link: z.url().describe("Personal signing link, another one than before; works before any message is sent"),
    name: z.string(),
    dni: z.string().describe("Without dots and hyphens"),
    contact: z.string().describe("The phone, digits only"),
    queued: z.boolean().describe("The phone has another active document: its message is sent when that one is over."),
    queued_behind: z.string().nullable().describe("Which document that is; null where nothing is held back."),
  })
  .meta({
    examples: [
      {
        id_seguimiento: "019aa5c0-0000-7000-8000-0000000000d1",
        id_custom: "019aa5c0-0000-7000-8000-000000000051",
        link: "https://rubrica.example.com/s/AgGapcAAAHAAgAAAAAAAANEAAAABnyzhxRPmZVbOpJ9u_S9aVg",
        name: "Ana Paz",
        dni: "30123456",
        contact: "5491122334456",
        queued: false,
        queued_behind: null,
      },
    ],
  })
  .describe("The signer as they are named now. They are asked anew where it is their turn.");

/** Who a signer was with one of their links; null when it was forgotten. */
const personWith = ({ corrections, personRequested }: Signer, linkNumber: number): SignerPerson | null =>
  linkNumber === 0 ? personRequested : (corrections.find((one) => one.linkNumber === linkNumber)?.person ?? null);

/** The result id of a request that changed nothing. It makes no event, so its id is derived from the signer and their link. */
const unchangedId = (signerId: string, linkNumber: number): string =>
  derivedId("unchanged", signerId, String(linkNumber));

/** Which link the signer had when a request that changed nothing came first; undefined if that id is another request's. */
const linkWhenUnchanged = ({ signerId, linkNumber }: Signer, knownId: string | undefined): number | undefined =>
  Array.from({ length: linkNumber + 1 }, (_, link) => link).find((link) => unchangedId(signerId, link) === knownId);

/** Whether the signer is held back now. */
const turnNow = ({ turn, claims }: Signer): TurnOutcome => {
  const behindDocumentId = claims.at(-1)?.queuedBehind ?? null;
  return turn === "queued" && behindDocumentId !== null ? { queued: true, behindDocumentId } : { queued: false };
};

/** Whether a correction changes anything of the signer. */
const changesPerson = (person: SignerPerson, corrected: Partial<SignerPerson>): boolean =>
  Object.entries(corrected).some(([field, value]) => value !== Reflect.get(person, field));

/** Which link the signer has after a correction, and whether they are held back: as they are now where it made no event. */
const outcomeOf = (signer: Signer, correctionId: string, claimed: TurnOutcome) => {
  const made = signer.corrections.find((one) => one.correctionId === correctionId);
  return made
    ? { linkNumber: made.linkNumber, turn: claimed }
    : { linkNumber: signer.linkNumber, turn: turnNow(signer) };
};

/** The answer to a correction, by the link that it left the signer with: a repeated request gets the same. */
const answerOf = (
  { documentId, signers }: RequestedDocument,
  signer: Signer,
  { linkNumber, turn }: { linkNumber: number; turn: TurnOutcome },
  { tokens, publicUrl }: Pick<CommandApiDependencies, "tokens" | "publicUrl">,
): z.infer<typeof Answer> => {
  const person = personWith(signer, linkNumber);
  if (!person) throw new HttpError(404, { error: texts.unknownId });
  const index = signers.findIndex(({ signerId }) => signerId === signer.signerId);
  return {
    id_seguimiento: documentId,
    id_custom: person.idCustom,
    link: `${publicUrl}/s/${tokens.make(documentId, index, linkNumber)}`,
    name: person.name,
    dni: person.idNumber,
    contact: person.phone,
    queued: turn.queued,
    queued_behind: turn.queued ? turn.behindDocumentId : null,
  };
};

/** `PATCH …/signers/{id_custom}`: corrects who a signer is, until they had a part in the document. */
export const correctSignerRoute = (app: HttpServer, dependencies: CommandApiDependencies): void => {
  const { handlers, runtime } = dependencies;
  app.patch(
    "/api/v2/documents/:id_seguimiento/signers/:id_custom",
    {
      bodyLimit: MAX_BODY_BYTES,
      // What is wrong with the body by itself, and what for this signer, are told together.
      attachValidation: true,
      schema: {
        tags: ["documents"],
        operationId: "correctSigner",
        summary: "Correct a signer",
        description:
          "Until the signer first opens their link, of a document of the account's own. They have another link from then " +
          "on and are asked anew; the former one says that it was replaced, and signs nothing. Of a bulk call's row the " +
          "phone and the e-mail address alone: its PDF holds the rest. Who was asked is not corrected again within ten minutes of a " +
          "correction or resend, nor when there were ten of both.",
        headers: IdempotencyHeaders,
        params: DocumentParams.extend(SignerParams.shape),
        body: CorrectionBody,
        response: {
          200: Answer,
          400: badRequest(
            { path: "phone", message: "must have 8 to 15 digits" },
            "What is corrected, or the Idempotency-Key, can't be one.",
          ),
          404: errorText(texts.unknownId, "Unknown, or not the account's own."),
          409: errorText(
            signerTexts.tooLate,
            "The signer opened the page, or was corrected 20 times; the document has ended; several have this " +
              "`id_custom`; or the Idempotency-Key names another request.",
          ),
          413: errorText(tooLargeText(MAX_BODY_BYTES), "The body is too large."),
          429: errorText(
            signerTexts.tooOften,
            "Who was asked was asked anew within ten minutes, or ten times in all: by corrections and resends. Or too many requests.",
          ),
          415: unsupportedEncoding,
          500: errorText("Internal Server Error", "Something failed on this side."),
        },
      },
    },
    async (request, reply) => {
      const { accountId } = callerOf(request);
      const { id_seguimiento: documentId, id_custom: idCustom } = request.params;
      const document = await ownDocument(dependencies, documentId, accountId);
      const signer = ownSigner(document, idCustom);
      const { signerId, person, corrections, linkNumber } = signer;
      if (!person) throw new HttpError(404, { error: texts.unknownId });
      const parsed = parsedBody(request);
      const repeatable = parsed.ok
        ? await repeatableRequest(
            dependencies,
            request,
            ROUTE,
            { documentId, idCustom, body: parsed.body },
            () => documentId,
          )
        : undefined;
      const knownId = await repeatable?.resultId();
      const formerLink = linkWhenUnchanged(signer, knownId);
      if (formerLink !== undefined)
        return answerOf(document, signer, { linkNumber: formerLink, turn: turnNow(signer) }, dependencies);
      const isRepeated = knownId !== undefined && corrections.some(({ correctionId }) => correctionId === knownId);
      const corrected: CheckedCorrection = isRepeated
        ? { person: {} }
        : await checkedCorrection({ parsed, caller: senderOf(request).name }, document, person, dependencies);
      const changes = isRepeated || changesPerson(person, corrected.person);
      const ownId = knownId ?? (changes ? runtime.ids.uuidv7() : unchangedId(signerId, linkNumber));
      const correctionId = (await repeatable?.reserve(ownId)) ?? ownId;
      const context = contextOf(request, "integrator", accountId, correctionId);
      const { requester: by } = requesterOf(request, openedAccount(await handlers.accounts.load(accountId)));
      const now = runtime.clock.now();
      const command = { signerId, correctionId, person: changes ? corrected.person : {}, by, now };
      const decide = async () => {
        // What is refused is given no line: it would lead to a phone that has no part in the document.
        const isCorrected = correctSigner(document, command).length > 0;
        const lineId =
          isCorrected && corrected.lookup !== undefined
            ? await giveLine(dependencies, corrected.lookup, documentId)
            : undefined;
        return handlers.documents.handle(documentId, correctSigner, { ...command, lineId }, stepOf(context, "correct"));
      };
      const deciding = decide();
      const retryAfter = (seconds: number) => void reply.header("retry-after", seconds);
      await unlessRefused(dependencies, { documentId, accountId, idCustom }, deciding, retryAfter);
      const claimed = await claimAnew(handlers, documentId, signerId, correctionId, context);
      const after = await ownDocument(dependencies, documentId, accountId);
      const signerAfter = ownSigner(after, idCustom);
      return answerOf(after, signerAfter, outcomeOf(signerAfter, correctionId, claimed), dependencies);
    },
  );
};
