import type { PhotoKind } from "@rubrica/events";

/** The API's names of the photos. */
export const photoKindNames = { selfie: "selfie", idFront: "dni_frontal", idBack: "dni_trasera" } as const;

/** The photo that a name of the API means. */
export const photoKindNamed = (name: string): PhotoKind | undefined =>
  (["selfie", "idFront", "idBack"] as const).find((kind) => photoKindNames[kind] === name);

/** Where one photo is fetched, for callers with a key of the document's account or team. */
export const photoPath = (documentId: string, idCustom: string, kindName: string, attempt: number): string =>
  `/api/v2/signers/${documentId}/photos/${encodeURIComponent(idCustom)}/${kindName}/${attempt}`;
