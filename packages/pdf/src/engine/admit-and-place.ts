import { admitted } from "@rubrica/pdf-admission";
import { placeOn } from "@rubrica/pdf-drawing/placing/place";
import { askedFaults, wantedPlaces } from "../asked-places.ts";
import type { AdmittedAndPlaced, AskedPlaces } from "../port.ts";
import { rehearse } from "../sealing/rehearse.ts";

/**
 * Takes a document in, finds its signatures' places, and tries them out: all that is done with it before it is accepted,
 * so that it is read once. Throws `PdfRefused`, `Damaged` and `TooComplex`.
 * @param renders whether pages are drawn to find places that are free; if not, no place counts as free
 */
export const admitAndPlace = async (
  bytes: Uint8Array,
  asked: AskedPlaces,
  renders: boolean,
): Promise<AdmittedAndPlaced> => {
  const { document, admission } = await admitted(bytes);
  const { inspection } = admission;
  const known = { pagesBefore: inspection.pageCount };
  const faults = askedFaults(inspection, asked);
  if (faults.length > 0) return { ...known, faults, placements: [], bytes: admission.bytes, inspection };
  const { everyPage, title } = asked;
  const places = { wanted: wantedPlaces(inspection, asked), everyPage, title };
  const placed = await placeOn({ document, inspection }, places, renders);
  const given = placed.bytes ?? admission.bytes ?? bytes;
  rehearse(placed.document, given.length, placed.placements);
  const { placements } = placed;
  const changed = placed.bytes ?? admission.bytes;
  return { ...known, faults, placements, bytes: changed, inspection: placed.inspection };
};
