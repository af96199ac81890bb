import type { IdentityCheck, IdentityVerdict, PhotoKind, ProviderFile } from "@rubrica/identity";
import type { Images } from "@rubrica/images";
import { isoTime, type Runtime } from "@rubrica/runtime";
import { createRowCipher } from "@rubrica/secrets";
import { type GlancedPhoto, pictureOf } from "./pictures.ts";
import { type KeptPhoto, SimulatorStore } from "./store.ts";
import { verdictOn } from "./verdict.ts";

const FILE_NAMES: Record<PhotoKind, string> = { selfie: "selfie", idFront: "id-front", idBack: "id-back" };

/** An identity provider that only glances at the photos, for development, demos and tests. */
export interface IdentitySimulator {
  /** The same `checkId` is the same check: asked again, it is answered again. */
  check(check: IdentityCheck): Promise<IdentityVerdict>;
  /** All that is kept of a subject's checks. */
  evidence(subject: string): Promise<ProviderFile[]>;
  /** Keeps nothing of a subject's checks any more. */
  forget(subject: string): Promise<void>;
  close(): void;
}

/**
 * Opens the simulator on its file (or ":memory:"), for one process at a time. It answers at once, keeps the last
 * 1,000 checks with reduced photos over restarts, and lets no personal byte lie in the file in the clear. See
 * `verdictOn` for what it sees.
 *
 * @param options.keys 256 bits each, the newest first; former ones still decrypt what they encrypted.
 * @throws {RangeError} when there is no key, or one has another length. @throws {Error} when the file cannot be
 * opened, or is no database.
 */
export const openIdentitySimulator = ({
  path,
  keys,
  images,
  runtime,
}: {
  path: string;
  keys: readonly Buffer[];
  images: Pick<Images, "glance">;
  runtime: Pick<Runtime, "clock" | "random">;
}): IdentitySimulator => {
  const store = new SimulatorStore(path, createRowCipher({ keys, purpose: "identity", random: runtime.random }));
  return {
    async check(check) {
      const known = store.find(check.checkId);
      if (known) return known.verdict;
      const pictures = await picturesOf(images, check);
      return keep(store, check, pictures, runtime.clock.now());
    },

    async evidence(subject) {
      const checks = store.checksOf(subject);
      if (checks.length === 0) return [];
      const audit = JSON.stringify({ provider: "simulated", subject, checks }, null, 2);
      return [
        { kind: "audit", shows: null, name: "audit.json", mediaType: "application/json", bytes: Buffer.from(audit) },
        ...store.photosOf(subject).map(fileOf),
      ];
    },

    async forget(subject) {
      store.remove(subject);
    },

    close: () => store.close(),
  };
};

const picturesOf = async (
  images: Pick<Images, "glance">,
  { photos, subject }: IdentityCheck,
): Promise<Record<PhotoKind, GlancedPhoto>> => {
  const look = async ({ jpeg }: { jpeg: Uint8Array }) => pictureOf(jpeg, await images.glance(jpeg, `check:${subject}`));
  const [selfie, idFront, idBack] = await Promise.all([look(photos.selfie), look(photos.idFront), look(photos.idBack)]);
  return { selfie, idFront, idBack };
};

const keep = (
  store: SimulatorStore,
  { checkId, subject, person, photos }: IdentityCheck,
  pictures: Record<PhotoKind, GlancedPhoto>,
  now: number,
): IdentityVerdict => {
  const told = (kind: PhotoKind) => ({ attempt: photos[kind].attempt, sha256: pictures[kind].sha256 });
  const record = {
    checkId,
    checkedAt: isoTime(now),
    photos: { selfie: told("selfie"), idFront: told("idFront"), idBack: told("idBack") },
    verdict: verdictOn(person, pictures, now),
  };
  const kept = (["selfie", "idFront", "idBack"] as const).flatMap((kind): KeptPhoto[] => {
    const { kept: jpeg } = pictures[kind];
    return jpeg ? [{ kind, attempt: photos[kind].attempt, jpeg: Buffer.from(jpeg) }] : [];
  });
  return store.keep(subject, record, kept).verdict;
};

const fileOf = ({ kind, attempt, jpeg }: KeptPhoto): ProviderFile => ({
  kind: "photo",
  shows: kind,
  name: `${FILE_NAMES[kind]}-${attempt}.jpg`,
  mediaType: "image/jpeg",
  bytes: jpeg,
});
