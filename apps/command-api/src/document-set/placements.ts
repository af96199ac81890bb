import { signingOrder } from "@rubrica/domain";
import type { Fault } from "@rubrica/http";
import {
  defaultPlacements,
  type Inspection,
  type Placement,
  placementFaults,
  type WantedPlacement,
} from "@rubrica/pdf";
import type { PlacementInput } from "./body.ts";

const FIELDS = { pages: "page", x: "position_x", y: "position_y" } as const;
const WITH_COORDINATES = "give it position_x and position_y";
const NO_ROOM = {
  onPage: `has no room left for this signature: ${WITH_COORDINATES}, or another page`,
  anywhere: `no page has room left for this signature: ${WITH_COORDINATES}`,
  onEveryPage: `no place that is free on every page is left for this signature: ${WITH_COORDINATES}`,
};

/** Where signatures go, in the order of the input; undefined for those that go nowhere, and why. */
export interface Placed {
  placements: readonly (Placement | undefined)[];
  /** By the integrator's paths. */
  faults: readonly Fault[];
}

/**
 * Finds where each signature goes: where it was asked for, else side by side from the bottom left of its page, or of
 * the last page that has room, by signing order.
 *
 * @param signers in the order of the input; undefined for one whose fields are wrong in themselves
 */
export const placed = (
  inspection: Inspection,
  signers: readonly (PlacementInput | undefined)[],
  everyPage: boolean,
): Placed => {
  const faults: Fault[][] = signers.map(() => []);
  const wanted: { index: number; signer: PlacementInput; placement: WantedPlacement }[] = [];
  for (const index of inSigningOrder(signers)) {
    const signer = signers[index];
    if (!signer) continue;
    const ofSigner = faultsOf(inspection, signer, everyPage);
    faults[index] = ofSigner.map(({ field, message }) => ({ path: pathOf(index, FIELDS[field]), message }));
    if (ofSigner.length === 0) wanted.push({ index, signer, placement: wantedBy(signer, inspection, everyPage) });
  }
  const found = defaultPlacements(
    inspection,
    wanted.map(({ placement }) => placement),
    everyPage,
  );
  const placements: (Placement | undefined)[] = signers.map(() => undefined);
  for (const [place, { index, signer }] of wanted.entries()) {
    const placement = found[place];
    if (placement) placements[index] = placement;
    else faults[index] = [noRoomFor(index, signer, everyPage)];
  }
  return { placements, faults: faults.flat() };
};

const pathOf = (index: number, field?: string): string => `datos_firmantes[${index}]${field ? `.${field}` : ""}`;

const inSigningOrder = (signers: readonly (PlacementInput | undefined)[]): number[] => {
  const places = signingOrder(signers.map((signer) => signer?.position));
  return signers.map((_, index) => index).sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
};

const noRoomFor = (index: number, { page }: PlacementInput, everyPage: boolean): Fault => {
  if (everyPage) return { path: pathOf(index), message: NO_ROOM.onEveryPage };
  return page === undefined
    ? { path: pathOf(index), message: NO_ROOM.anywhere }
    : { path: pathOf(index, FIELDS.pages), message: NO_ROOM.onPage };
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
