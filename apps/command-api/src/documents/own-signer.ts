import { askAnewPauseMs, DomainError, type RequestedDocument, type Signer } from "@rubrica/domain";
import { HttpError } from "@rubrica/http";
import { z } from "zod";
import type { CommandApiDependencies } from "../dependencies.ts";
import { ownDocument, texts } from "./own-document.ts";

/** What the routes that act on a signer say when they can't. */
export const signerTexts = {
  several: "Varios firmantes tienen este id_custom",
  queued: "El firmante está en espera de otro documento",
  tooLate: "El firmante ya no se puede corregir: cancele el documento y solicítelo de nuevo",
  tooOften:
    "El firmante ya se corrigió, o se le reenvió el mensaje; espere diez minutos entre una vez y otra, diez veces como máximo",
  nothingToSend: "No hay nada para reenviar a este firmante",
};

/** The part of a path that names a signer. */
export const SignerParams = z.object({
  id_custom: z
    .string()
    .describe("The signer's `id_custom`.")
    .meta({ examples: ["019aa5c0-0000-7000-8000-000000000051"] }),
});

const refusals: Partial<Record<DomainError["code"], { status: number; error: string }>> = {
  document_ended: { status: 409, error: texts.ended },
  correction_too_late: { status: 409, error: signerTexts.tooLate },
  nothing_to_send: { status: 409, error: signerTexts.nothingToSend },
  signer_queued: { status: 409, error: signerTexts.queued },
  resent_too_soon: { status: 429, error: signerTexts.tooOften },
  resent_too_often: { status: 429, error: signerTexts.tooOften },
};

/** The signer of that `id_custom`. @throws {HttpError} 404 where there is none, 409 where there are several. */
export const ownSigner = ({ signers }: RequestedDocument, idCustom: string): Signer => {
  const [found, another] = signers.filter(({ person }) => person?.idCustom === idCustom);
  if (!found) throw new HttpError(404, { error: texts.unknownId });
  if (another) throw new HttpError(409, { error: signerTexts.several });
  return found;
};

/**
 * Resolves once that is decided about a signer.
 * @param retryAfter told the seconds until it may be asked again, where it comes too soon
 * @throws {HttpError} 409 or 429 for what the domain refuses
 */
export const unlessRefused = async (
  { handlers, runtime }: Pick<CommandApiDependencies, "handlers" | "runtime">,
  { documentId, accountId, idCustom }: { documentId: string; accountId: string; idCustom: string },
  deciding: Promise<unknown>,
  retryAfter: (seconds: number) => void,
): Promise<void> => {
  try {
    await deciding;
  } catch (error) {
    const refusal = error instanceof DomainError ? refusals[error.code] : undefined;
    if (!(error instanceof DomainError) || !refusal) throw error;
    if (error.code === "resent_too_soon") {
      const signer = ownSigner(await ownDocument({ handlers }, documentId, accountId), idCustom);
      retryAfter(Math.ceil(askAnewPauseMs(signer, runtime.clock.now()) / 1_000));
    }
    throw new HttpError(refusal.status, { error: refusal.error });
  }
};
