import { type PhotoEvent, type PhotoKind, type PhotoUploaded, photoKindOf, photoKinds } from "@rubrica/events";

/** How far one upload of a photo has come. `validation` is "none" where photos are taken but not validated. */
export interface PhotoProgress {
  attempt: number;
  validation: "none" | "pending" | "approved" | "rejected";
  /** Why it was rejected; null otherwise. */
  reason: string | null;
}

/** Uploads by kind, in order; the last one of a kind is the one that counts. */
export type Photos<One extends PhotoProgress = PhotoProgress> = Readonly<Record<PhotoKind, readonly One[]>>;

const validated = <One extends PhotoProgress>(
  photos: Photos<One>,
  kind: PhotoKind,
  { attempt, result, reason }: Extract<PhotoEvent, { type: "SelfieValidated" }>["data"],
): Photos<One> => ({
  ...photos,
  [kind]: photos[kind].map((photo) =>
    photo.attempt === attempt ? { ...photo, validation: result, reason: result === "rejected" ? reason : null } : photo,
  ),
});

/** Rejects the last photo of each kind, if its validation is one of those in `stood`. */
const lastRejected = <One extends PhotoProgress>(
  photos: Photos<One>,
  kinds: readonly PhotoKind[],
  stood: readonly PhotoProgress["validation"][],
  reason: string | null,
): Photos<One> => {
  const after: Record<PhotoKind, readonly One[]> = { ...photos };
  for (const kind of kinds) {
    const last = photos[kind].at(-1);
    if (!last || !stood.includes(last.validation)) continue;
    after[kind] = [...photos[kind].slice(0, -1), { ...last, validation: "rejected", reason }];
  }
  return after;
};

/** An upload, of which nothing is known but how far it has come. */
export const progressOf = ({ attempt, validation }: PhotoUploaded["data"]): PhotoProgress => ({
  attempt,
  validation,
  reason: null,
});

const sides = ["idFront", "idBack"] as const;

/**
 * Photos after one more event that tells of them. What speaks against the identity document refuses both its sides,
 * what speaks against the person all photos: they are to be taken anew.
 *
 * @param photoOf what is kept of an upload: {@link progressOf}, or more
 */
export const evolvePhotos = <One extends PhotoProgress>(
  photos: Photos<One>,
  event: PhotoEvent,
  photoOf: (upload: PhotoUploaded["data"]) => One,
): Photos<One> => {
  switch (event.type) {
    case "SelfieUploaded":
    case "IdFrontUploaded":
    case "IdBackUploaded": {
      const kind = photoKindOf[event.type];
      return { ...photos, [kind]: [...photos[kind], photoOf(event.data)] };
    }
    case "SelfieValidated":
      return validated(photos, "selfie", event.data);
    case "IdDocumentValidated":
      return validated(photos, event.data.side === "front" ? "idFront" : "idBack", event.data);
    case "MrzValidated": {
      const { result, reason } = event.data;
      return result === "rejected" ? lastRejected(photos, sides, ["pending", "approved"], reason) : photos;
    }
    case "IdDocumentErrorFound":
      return lastRejected(photos, sides, ["pending", "approved"], event.data.reason);
    case "IdentityProviderRejected":
      return lastRejected(photos, photoKinds, ["pending", "approved"], event.data.reason);
    case "IdentityProviderFailed": {
      // A failure speaks against nobody. Photos that will never be checked can only be taken anew.
      const { nextAttemptAt, reason } = event.data;
      return nextAttemptAt === null ? lastRejected(photos, photoKinds, ["pending"], reason) : photos;
    }
    default:
      return event satisfies never;
  }
};

/** A signer's last photos, when all three are there, none was rejected, and the provider's word on one is awaited. */
export const photosToCheck = <One extends PhotoProgress>(photos: Photos<One>): Record<PhotoKind, One> | null => {
  const { selfie, idFront, idBack } = {
    selfie: photos.selfie.at(-1),
    idFront: photos.idFront.at(-1),
    idBack: photos.idBack.at(-1),
  };
  if (!selfie || !idFront || !idBack) return null;
  const validations = [selfie, idFront, idBack].map(({ validation }) => validation);
  return validations.includes("pending") && !validations.includes("rejected") ? { selfie, idFront, idBack } : null;
};

/** The number of a set of photos, from 1: one more with each photo that was taken anew. */
export const photoSetNumber = (attempts: Readonly<Record<PhotoKind, number>>): number =>
  attempts.selfie + attempts.idFront + attempts.idBack - 2;
