import type { DocumentEvent, Origin } from "@rubrica/events";
import { hasEnded, signerOf } from "./lookup.ts";
import type { Document } from "./state.ts";

/** More openings than these tell nothing new. */
const MAX_RECORDED_OPENINGS = 20;

/** The signing page ran in the signer's browser. Recorded while there is something to sign, up to 20 times a signer. */
export const openPage = (
  document: Document,
  { signerId, origin }: { signerId: string; origin: Origin },
): DocumentEvent[] => {
  const signer = signerOf(document, signerId);
  if (signer.signed || hasEnded(document) || signer.pageOpenings >= MAX_RECORDED_OPENINGS) return [];
  return [{ type: "SigningPageOpened", data: { signerId }, personal: origin }];
};
