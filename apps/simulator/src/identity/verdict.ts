import type { IdentityPerson, IdentityVerdict, PhotoKind, PhotoVerdict } from "@rubrica/identity";
import { areSame, type GlancedPhoto } from "./pictures.ts";
import { writeTd1 } from "./td1.ts";

/**
 * What the simulator says of a signer's photos: as much as a glance tells. It knows nobody's face and reads no print; the
 * machine-readable zone is one that the person's document could have, so that all goes well with three different pictures.
 * @param now milliseconds since the epoch.
 */
export const verdictOn = (
  person: IdentityPerson,
  { selfie, idFront, idBack }: Record<PhotoKind, GlancedPhoto>,
  now: number,
): IdentityVerdict => {
  const back = idBack.flaw ?? (areSame(idFront, idBack) ? "same_as_front" : null);
  const isPhotoOfPhoto = !selfie.flaw && !idFront.flaw && areSame(selfie, idFront);
  return {
    selfie: verdict(selfie.flaw),
    idFront: verdict(idFront.flaw),
    idBack: verdict(back),
    mrz: back === null ? writeTd1(person, now) : null,
    documentError: null,
    simulated: true,
    rejection: isPhotoOfPhoto ? "face_not_live" : null,
  };
};

const verdict = (flaw: string | null): PhotoVerdict => ({
  result: flaw === null ? "approved" : "rejected",
  reason: flaw,
});
