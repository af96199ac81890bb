import { signingOrder } from "@rubrica/domain";
import type { Fault } from "@rubrica/http";
import { type Inspection, type Placement, placementFaults, type WantedPlacement } from "@rubrica/pdf";
import type { PlacementInput } from "./body.ts";

const FIELDS = { pages: "page", x: "position_x", y: "position_y" } as const;
/** Where signatures are asked to go, and what is wrong with that. */
export interface Wanted {
  /** In signing order, without those whose fields are wrong; each with its index in the input. */
  places: readonly { index: number; placement: WantedPlacement }[];
  /** By the integrator's paths. */
  faults: readonly Fault[];
}

/**
 * Where each signature is asked to go: a place, a page, or wherever there is room. A page is one of the document as it
 * was sent.
 *
 * @param signers in the order of the input; undefined for one whose fields are wrong in themselves
 */
export const wantedPlaces = (
  inspection: Inspection,
  signers: readonly (PlacementInput | undefined)[],
  everyPage: boolean,
): Wanted => {
  const faults: Fault[][] = signers.map(() => []);
  const places: { index: number; placement: WantedPlacement }[] = [];
  for (const index of inSigningOrder(signers)) {
    const signer = signers[index];
    if (!signer) continue;
    const ofSigner = faultsOf(inspection, signer, everyPage);
    faults[index] = ofSigner.map(({ field, message }) => ({ path: pathOf(index, FIELDS[field]), message }));
    if (ofSigner.length === 0) places.push({ index, placement: wantedBy(signer, inspection, everyPage) });
  }
  return { places, faults: faults.flat() };
};

const pathOf = (index: number, field: string): string => `datos_firmantes[${index}].${field}`;

const inSigningOrder = (signers: readonly (PlacementInput | undefined)[]): number[] => {
  const places = signingOrder(signers.map((signer) => signer?.position));
  return signers.map((_, index) => index).sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
};

const explicitPlacement = ({ position_x: x, position_y: y }: PlacementInput, pages: Placement["pages"]) =>
  x === undefined || y === undefined ? null : { pages, x, y };

const wantedBy = (signer: PlacementInput, { pageCount }: Inspection, everyPage: boolean): WantedPlacement => {
  const { page = pageCount } = signer;
  const explicit = explicitPlacement(signer, everyPage ? "all" : page === pageCount ? "last" : page);
  if (explicit) return explicit;
  return signer.page === undefined ? null : { page };
};

const faultsOf = (inspection: Inspection, signer: PlacementInput, everyPage: boolean) => {
  const named = signer.page ?? "last";
  const ofPage = placementFaults(inspection, { pages: named, x: 0, y: 0 }).filter(({ field }) => field === "pages");
  const placement = explicitPlacement(signer, everyPage ? "all" : named);
  if (ofPage.length > 0 || !placement) return ofPage;
  return placementFaults(inspection, placement);
};
