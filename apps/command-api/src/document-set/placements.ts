import { signingOrder } from "@rubrica/domain";
import type { Fault } from "@rubrica/http";
import type { AskedFault, AskedPlace } from "@rubrica/pdf";
import type { PlacementInput } from "../fields/signer.ts";

const FIELDS = { pages: "page", x: "position_x", y: "position_y" } as const;

/** Where a signature is asked to go. */
export interface SignerPlace extends AskedPlace {
  /** Of the signer, in the input. */
  signer: number;
}

/**
 * Where each signature is asked to go, in signing order, without those whose fields are wrong. A page is one of the
 * document as it was sent.
 *
 * @param signers in the order of the input; undefined for one whose fields are wrong in themselves
 */
export const placesOf = (signers: readonly (PlacementInput | undefined)[]): SignerPlace[] => {
  const places = signingOrder(signers.map((signer) => signer?.position));
  return signers
    .flatMap((place, signer) => (place ? [{ signer, page: place.page, x: place.position_x, y: place.position_y }] : []))
    .sort((a, b) => (places[a.signer]?.order ?? 0) - (places[b.signer]?.order ?? 0));
};

/** What is wrong with places, by the integrator's paths and in the order of the input. */
export const placeFaults = (places: readonly SignerPlace[], found: readonly AskedFault[]): Fault[] =>
  found
    .map(({ index, field, message }) => ({ signer: places[index]?.signer ?? 0, field: FIELDS[field], message }))
    .sort((a, b) => a.signer - b.signer)
    .map(({ signer, field, message }) => ({ path: `datos_firmantes[${signer}].${field}`, message }));
