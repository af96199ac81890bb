import type { DocumentEvent, Origin } from "@rubrica/events";
import { actingSigner, hasEnded } from "./lookup.ts";
import type { Document } from "./state.ts";

/** More openings than these tell nothing new. */
const MAX_RECORDED_OPENINGS = 20;

/**
 * The signing page ran in the signer's browser. Recorded while there is something to sign, up to 20 times a signer.
 * @throws {DomainError} link_replaced
 */
export const openPage = (
  document: Document,
  { origin, ...acting }: { signerId: string; linkNumber?: number; origin: Origin },
): DocumentEvent[] => {
  const signer = actingSigner(document, acting);
  if (signer.signed || hasEnded(document) || signer.pageOpenings >= MAX_RECORDED_OPENINGS) return [];
  return [{ type: "SigningPageOpened", data: { signerId: signer.signerId }, personal: origin }];
};
