import { createHash } from "node:crypto";
import { type PhotoKind, signerOf, uploadPhoto } from "@rubrica/domain";
import { BadRequestError, type Fault, type HttpServer, senderOf } from "@rubrica/http";
import { z } from "zod";
import { contextOf, originOf } from "../context.ts";
import type { CommandApiDependencies } from "../dependencies.ts";
import { PhotoState, photoState } from "./overview.ts";
import { answering, refusalOf } from "./refusals.ts";
import { bodyErrors, commonErrors, errorOf, refused, TokenParams } from "./schemas.ts";
import { sessionOf } from "./session.ts";

/** What photos may be sent as. */
const PHOTO_MEDIA_TYPES = ["image/jpeg", "image/png", "image/webp"];

const kinds = {
  selfie: "selfie",
  dni_frontal: "idFront",
  dni_trasera: "idBack",
} as const satisfies Record<string, PhotoKind>;

const Params = TokenParams.extend({
  kind: z.enum(["selfie", "dni_frontal", "dni_trasera"]).describe("The face, or a side of the identity document"),
});

const UNREADABLE = "must be a JPEG, PNG or WebP image";
const unreadable = () => new BadRequestError([{ path: "", message: UNREADABLE }]);
const badPhoto = (faults: readonly Fault[]) => ({
  error: "Bad Request",
  details: faults.map(({ path, message }) => ({ path, message: path === "" ? UNREADABLE : message })),
});

/** A JPEG as a file's reference names it. */
const referenceOf = (jpeg: Uint8Array) => ({
  sha256: createHash("sha256").update(jpeg).digest("hex"),
  size: jpeg.length,
  mediaType: "image/jpeg",
});

/** `POST /api/signing/{token}/photos/{kind}`. Register it in a scope of its own: there bodies are images. */
export const photoRoute = (app: HttpServer, dependencies: CommandApiDependencies): void => {
  const { handlers, files, images, limits } = dependencies;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(PHOTO_MEDIA_TYPES, { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.post(
    "/api/signing/:token/photos/:kind",
    {
      bodyLimit: limits.photoBytes,
      config: { errors: { badRequest: badPhoto } },
      schema: {
        tags: ["signing"],
        operationId: "uploadPhoto",
        summary: "Send a photo",
        description:
          "Takes the photo that a document asks for; a later one of the kind replaces it. The same photo again changes " +
          "nothing. Answers what became of it: `pending` while it is being validated.",
        params: Params,
        consumes: PHOTO_MEDIA_TYPES,
        body: z.unknown().meta({ type: "string", format: "binary" }),
        response: {
          200: PhotoState.meta({ examples: [{ state: "pending", attempt: 1, reason: null }] }).describe("It is taken."),
          ...bodyErrors,
          400: errorOf("The photo can't be read.", badPhoto([{ path: "", message: UNREADABLE }])),
          ...commonErrors,
          409: refused(
            ...(
              [
                "photos_not_requested",
                "too_many_photos",
                "already_signed",
                "document_ended",
                "document_being_prepared",
              ] as const
            ).map(refusalOf),
          ),
        },
      },
    },
    async (request) => {
      const session = await sessionOf(dependencies, request.params.token);
      const { documentId, accountId, document, signer, linkNumber } = session;
      const kind = kinds[request.params.kind];
      const { body } = request;
      const jpeg = Buffer.isBuffer(body) ? await images.photo(body, senderOf(request).name) : undefined;
      if (!jpeg) throw unreadable();
      const acting = { signerId: signer.signerId, linkNumber, origin: originOf(request) };
      const command = { ...acting, kind, file: referenceOf(jpeg) };
      const decide = async () => uploadPhoto(document, command);
      // Nothing is stored for a photo that will not be taken, however often it is sent.
      if ((await answering(decide())).length === 0) return photoState(signer, kind);
      await files.put(documentId, jpeg, command.file.mediaType);
      const context = contextOf(request, "signer", accountId);
      const { state } = await answering(handlers.documents.handle(documentId, uploadPhoto, command, context));
      return photoState(signerOf(state, signer.signerId), kind);
    },
  );
};
