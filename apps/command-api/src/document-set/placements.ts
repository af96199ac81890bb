import type { Fault } from "@rubrica/http";
import { defaultPlacements, type Inspection, type Placement, placementFaults } from "@rubrica/pdf";
import type { PlacementInput } from "./body.ts";

type Pages = Placement["pages"];

const FIELDS = { pages: "page", x: "position_x", y: "position_y" } as const;

const pagesOf = ({ page }: PlacementInput, { pageCount }: Inspection, everyPage: boolean): Pages => {
  if (everyPage) return "all";
  return page === undefined || page === pageCount ? "last" : page;
};

const explicitPlacement = ({ position_x: x, position_y: y }: PlacementInput, pages: Pages): Placement | null =>
  x === undefined || y === undefined ? null : { pages, x, y };

const faultsOf = (inspection: Inspection, signer: PlacementInput, everyPage: boolean) => {
  const named = signer.page ?? "last";
  const ofPage = placementFaults(inspection, { pages: named, x: 0, y: 0 }).filter(({ field }) => field === "pages");
  const placement = explicitPlacement(signer, everyPage ? "all" : named);
  // Without coordinates only the page can be wrong: a default place is found on any.
  if (ofPage.length > 0 || !placement) return ofPage;
  return placementFaults(inspection, placement);
};

/**
 * What is wrong with where the signers' signatures are to go, by the integrator's paths.
 *
 * @param signers in the order of the input; undefined for one whose fields are wrong in themselves
 */
export const faultsOfPlacements = (
  inspection: Inspection,
  signers: readonly (PlacementInput | undefined)[],
  everyPage: boolean,
): Fault[] =>
  signers.flatMap((signer, index) =>
    (signer ? faultsOf(inspection, signer, everyPage) : []).map(({ field, message }) => ({
      path: `datos_firmantes[${index}].${FIELDS[field]}`,
      message,
    })),
  );

/**
 * Where each signature goes, in the order of `signers`: where it was asked for, else side by side from the bottom left
 * of its page, by signing order.
 *
 * @param places each signer's place in the signing order
 */
export const placementsOf = (
  inspection: Inspection,
  signers: readonly PlacementInput[],
  places: readonly number[],
  everyPage: boolean,
): Placement[] => {
  const asked = signers.map((signer) => {
    const pages = pagesOf(signer, inspection, everyPage);
    return { pages, placement: explicitPlacement(signer, pages) };
  });
  const order = places.map((_place, index) => index).sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
  const placed = asked.map(({ pages, placement }) => placement ?? { pages, x: 0, y: 0 });
  for (const page of new Set(asked.map(({ pages }) => pages))) {
    const mine = order.filter((index) => asked[index]?.pages === page);
    // Defaults are made for the last page: of a document that ended with this one, it is the last.
    const upToPage = typeof page === "number" ? { ...inspection, pageCount: page } : inspection;
    const found = defaultPlacements(
      upToPage,
      mine.map((index) => explicitOnLastPage(asked[index]?.placement ?? null, page)),
      everyPage,
    );
    mine.forEach((index, place) => {
      const at = found[place];
      if (at) placed[index] = { ...at, pages: page };
    });
  }
  return placed;
};

const explicitOnLastPage = (placement: Placement | null, page: Pages): Placement | null =>
  placement && typeof page === "number" ? { ...placement, pages: "last" } : placement;
