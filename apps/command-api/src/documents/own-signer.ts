import type { RequestedDocument, Signer } from "@rubrica/domain";
import { HttpError } from "@rubrica/http";
import { z } from "zod";
import { texts } from "./own-document.ts";

/** What the routes that act on a signer say when they can't. */
export const signerTexts = {
  several: "Varios firmantes tienen este id_custom",
  queued: "El firmante está en espera de otro documento",
  tooLate: "El firmante ya no se puede corregir: cancele el documento y solicítelo de nuevo",
  nothingToSend: "No hay nada para reenviar a este firmante",
};

/** The part of a path that names a signer. */
export const SignerParams = z.object({
  id_custom: z
    .string()
    .describe("The signer's `id_custom`.")
    .meta({ examples: ["019aa5c0-0000-7000-8000-000000000051"] }),
});

/** The signer of that `id_custom`. @throws {HttpError} 404 where there is none, 409 where there are several. */
export const ownSigner = ({ signers }: RequestedDocument, idCustom: string): Signer => {
  const [found, another] = signers.filter(({ person }) => person?.idCustom === idCustom);
  if (!found) throw new HttpError(404, { error: texts.unknownId });
  if (another) throw new HttpError(409, { error: signerTexts.several });
  return found;
};
