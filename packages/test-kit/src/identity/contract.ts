import type { IdentityCheck, IdentityPerson, IdentityProvider } from "@rubrica/identity";
import { mrzAgrees } from "@rubrica/identity/mrz";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { blank, picture } from "./pictures.ts";

/** The day on which engines under test live. */
export const TODAY = "2026-01-01";

export const maria: IdentityPerson = { name: "María José Fernández", idNumber: "30123456", idNumberCountry: "AR" };

/** A check of three pictures that are good, unless others are given. */
export const checkOf = async (
  fields: Partial<Omit<IdentityCheck, "photos">> = {},
  photos: Partial<IdentityCheck["photos"]> = {},
): Promise<IdentityCheck> => ({
  checkId: "check-1",
  subject: "document-1/signer-1",
  person: maria,
  ...fields,
  photos: {
    selfie: { attempt: 1, jpeg: await picture(1) },
    idFront: { attempt: 1, jpeg: await picture(2) },
    idBack: { attempt: 1, jpeg: await picture(3) },
    ...photos,
  },
});

export const never = new AbortController().signal;

/** An engine under test, whose provider looks at pictures as the simulator does. */
export interface ProviderHarness {
  provider: IdentityProvider;
  close(): Promise<void>;
}

/** What every identity provider promises. */
export const identityProviderContract = (engine: string, open: () => Promise<ProviderHarness>): void => {
  describe(`identity provider: ${engine}`, () => {
    let provider: IdentityProvider;
    let close: () => Promise<void>;
    beforeEach(async () => {
      ({ provider, close } = await open());
    });
    afterEach(() => close());

    test("three good photos are approved, with a zone that agrees with the person", async () => {
      const verdict = await provider.check(await checkOf(), never);
      expect(verdict).toEqual({
        selfie: { result: "approved", reason: null },
        idFront: { result: "approved", reason: null },
        idBack: { result: "approved", reason: null },
        mrz: expect.any(Array),
        documentError: null,
        rejection: null,
        simulated: true,
      });
      expect(mrzAgrees(verdict.mrz ?? [], maria, TODAY)).toEqual({ result: "approved", reason: null });
    });

    test("a photo that is no good is rejected with a word, the others are not", async () => {
      const selfie = { attempt: 1, jpeg: await blank("#777777") };
      const verdict = await provider.check(await checkOf({}, { selfie }), never);
      expect(verdict.selfie).toEqual({ result: "rejected", reason: expect.stringMatching(/^[a-z0-9_]{1,60}$/) });
      expect([verdict.idFront.result, verdict.idBack.result]).toEqual(["approved", "approved"]);
    });

    test("a signer may be refused though each photo is good", async () => {
      const idFront = { attempt: 1, jpeg: await picture(1) };
      const verdict = await provider.check(await checkOf({}, { idFront }), never);
      expect(verdict).toMatchObject({ selfie: { result: "approved" }, idFront: { result: "approved" } });
      expect(verdict.rejection).toMatch(/^[a-z0-9_]{1,60}$/);
    });

    test("the same check is answered again as it was, also at the same time", async () => {
      const check = await checkOf();
      const [first, second] = await Promise.all([provider.check(check, never), provider.check(check, never)]);
      const other = { ...check, photos: { ...check.photos, selfie: { attempt: 1, jpeg: await blank("#777777") } } };
      expect(second).toEqual(first);
      expect(await provider.check(other, never)).toEqual(first);
      const files = await provider.evidence(check.subject, never);
      expect(files.filter(({ kind }) => kind === "photo")).toHaveLength(3);
    });

    test("another check of the same signer has its own answer", async () => {
      const bad = await checkOf({}, { idBack: { attempt: 1, jpeg: await picture(2) } });
      const good = await checkOf({ checkId: "check-2" }, { idBack: { attempt: 2, jpeg: await picture(3) } });
      expect((await provider.check(bad, never)).idBack.result).toBe("rejected");
      expect((await provider.check(good, never)).idBack.result).toBe("approved");
    });

    test("the evidence of a subject is its audit and its photos, and no other's", async () => {
      await provider.check(await checkOf(), never);
      await provider.check(await checkOf({ checkId: "check-2", subject: "document-1/signer-2" }), never);
      const files = await provider.evidence("document-1/signer-1", never);
      expect(files.map(({ kind, mediaType }) => `${kind} ${mediaType}`).sort()).toEqual([
        "audit application/json",
        "photo image/jpeg",
        "photo image/jpeg",
        "photo image/jpeg",
      ]);
      expect(new Set(files.map(({ name }) => name)).size).toBe(4);
      const audit = Buffer.from(files.find(({ kind }) => kind === "audit")?.bytes ?? []).toString("utf8");
      expect(audit).toContain("check-1");
      expect(audit).not.toContain("check-2");
    });

    test("a subject that was never checked has no evidence", async () => {
      expect(await provider.evidence("document-9/signer-9", never)).toEqual([]);
    });

    test("a subject that is forgotten has no evidence, and no other's goes; of nothing, too, and again", async () => {
      const { subject } = await checkOf();
      await provider.check(await checkOf(), never);
      await provider.check(await checkOf({ checkId: "check-2", subject: "document-1/signer-2" }), never);
      for (const one of [subject, subject, "document-9/signer-9"]) await provider.forget(one, never);
      expect(await provider.evidence(subject, never)).toEqual([]);
      expect(await provider.evidence("document-1/signer-2", never)).toHaveLength(4);
    });

    test("what is not wanted any more throws what it was given up with, and is answered when asked again", async () => {
      const check = await checkOf();
      const reason = new Error("not wanted");
      const given = AbortSignal.abort(reason);
      await expect(provider.check(check, given)).rejects.toBe(reason);
      await expect(provider.evidence(check.subject, given)).rejects.toBe(reason);
      await expect(provider.forget(check.subject, given)).rejects.toBe(reason);
      expect((await provider.check(check, never)).selfie.result).toBe("approved");
    });
  });
};
