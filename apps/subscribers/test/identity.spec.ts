import { createHandlers } from "@rubrica/commands";
import { reject } from "@rubrica/domain";
import { sample } from "@rubrica/events";
import { IdentityProviderUnavailable } from "@rubrica/identity";
import { contextOf } from "@rubrica/test-kit/commands";
import { describe, expect, test } from "vitest";
import { identitySubscriber } from "../src/identity.ts";
import { documentId, openIdentityWorld, signerId, verdict } from "./identity-world.ts";
import { obligationOf } from "./owed.ts";

const published = { obligation: obligationOf("check-identity", { signerId }), documentId, accountId: sample.accountId };
const of = (attempt: number) => ({ signerId, provider: sample.provider, attempt, result: "approved", reason: null });
const approved = [
  { type: "SelfieValidated", data: of(1) },
  { type: "IdDocumentValidated", data: { ...of(1), side: "front" } },
  { type: "IdDocumentValidated", data: { ...of(1), side: "back" } },
];

const waiting = async () => {
  const world = await openIdentityWorld();
  await world.uploadAll();
  const { meet } = identitySubscriber(world.dependencies);
  return { ...world, meet: () => meet(published) };
};

describe("the identity provider is asked about a signer's photos", () => {
  test("all three together, and about whom", async () => {
    await using world = await waiting();
    await world.meet();
    expect(world.provider.checks).toEqual([
      {
        checkId: `${documentId}/${signerId}/1`,
        subject: `${documentId}/${signerId}`,
        person: { name: "Ana Paz", idNumber: "30123456", idNumberCountry: "AR" },
        photos: {
          selfie: { attempt: 1, jpeg: Buffer.from("selfie 1") },
          idFront: { attempt: 1, jpeg: Buffer.from("idFront 2") },
          idBack: { attempt: 1, jpeg: Buffer.from("idBack 3") },
        },
      },
    ]);
    expect(await world.recorded()).toEqual(approved);
  });

  test("once, however often it is published", async () => {
    await using world = await waiting();
    await world.meet();
    await world.meet();
    expect(world.provider.checks).toHaveLength(1);
    expect(await world.recorded()).toEqual(approved);
  });

  test("not before all of them are there", async () => {
    await using world = await openIdentityWorld();
    await world.upload("selfie", "idFront");
    await identitySubscriber(world.dependencies).meet(published);
    expect(world.provider.checks).toEqual([]);
  });

  test("not after the document's end", async () => {
    await using world = await waiting();
    const rejection = { signerId, reason: "no", origin: sample.origin };
    await world.handlers.documents.handle(documentId, reject, rejection, contextOf("reject"));
    await world.meet();
    expect(world.provider.checks).toEqual([]);
  });
});

describe("what the identity provider found", () => {
  test("is recorded with its reasons", async () => {
    await using world = await waiting();
    const blurred = { result: "rejected" as const, reason: "blurred" };
    world.provider.answer = async () =>
      verdict({ selfie: blurred, documentError: "expired", rejection: "face_mismatch" });
    await world.meet();
    expect(await world.recorded()).toEqual([
      { type: "SelfieValidated", data: { ...of(1), ...blurred } },
      ...approved.slice(1),
      { type: "IdDocumentErrorFound", data: { signerId, provider: sample.provider, attempt: 1, reason: "expired" } },
      {
        type: "IdentityProviderRejected",
        data: { signerId, provider: sample.provider, attempt: 1, reason: "face_mismatch" },
      },
    ]);
  });

  test("has its machine-readable zone compared with who was asked to sign", async () => {
    await using world = await waiting();
    world.provider.answer = async () => verdict({ mrz: ["THIS IS", "NO ZONE"] });
    await world.meet();
    expect((await world.recorded()).at(-1)).toEqual({
      type: "MrzValidated",
      data: { ...of(1), result: "rejected", reason: "unreadable" },
    });
  });

  test("of photos that were taken anew meanwhile is followed by a check of these", async () => {
    await using world = await waiting();
    world.provider.answer = async ({ photos }) => {
      if (photos.selfie.attempt === 1) await world.upload("selfie");
      return verdict();
    };
    await world.meet();
    expect(world.provider.checks.map(({ checkId }) => checkId.split("/").at(-1))).toEqual(["1", "2"]);
    expect(await world.recorded()).toEqual([...approved, { type: "SelfieValidated", data: of(2) }]);
  });
});

describe("an identity provider that has no answer", () => {
  const failed = (attempt: number, nextAttemptAt: unknown, reason = "timeout") => ({
    type: "IdentityProviderFailed",
    data: { signerId, provider: sample.provider, attempt, reason, nextAttemptAt },
  });
  const later = expect.stringMatching(/Z$/);

  test("is recorded each time, and asked again as the same check", async () => {
    await using world = await waiting();
    world.provider.answer = () => Promise.reject(new IdentityProviderUnavailable("timeout", false));
    await expect(world.meet()).rejects.toThrow(IdentityProviderUnavailable);
    await expect(world.meet()).rejects.toThrow(IdentityProviderUnavailable);
    world.provider.answer = async () => verdict();
    await world.meet();
    expect(new Set(world.provider.checks.map(({ checkId }) => checkId)).size).toBe(1);
    expect(await world.recorded()).toEqual([failed(1, later), failed(2, later), ...approved]);
  });

  test("and won't have one is asked again about new photos only", async () => {
    await using world = await waiting();
    world.provider.answer = () => Promise.reject(new IdentityProviderUnavailable("refused", true));
    await expect(world.meet()).rejects.toThrow(IdentityProviderUnavailable);
    await world.meet();
    expect(world.provider.checks).toHaveLength(1);
    expect(await world.recorded()).toEqual([failed(1, null, "refused")]);
    world.provider.answer = async () => verdict();
    await world.uploadAll();
    await world.meet();
    expect((await world.recorded()).slice(1).map(({ type }) => type)).toEqual([
      "SelfieValidated",
      "IdDocumentValidated",
      "IdDocumentValidated",
    ]);
  });

  test("because the service stops is no failure of the provider's", async () => {
    await using world = await waiting();
    world.provider.answer = () => Promise.reject(new Error("aborted"));
    await expect(world.meet()).rejects.toThrow("aborted");
    expect(await world.recorded()).toEqual([]);
  });
});

test("of a person who was forgotten nothing is asked", async () => {
  await using world = await waiting();
  await world.keys.destroy(documentId);
  const { meet } = identitySubscriber({
    ...world.dependencies,
    handlers: createHandlers(world.journal, world.runtime),
  });
  await meet(published);
  expect(world.provider.checks).toEqual([]);
  expect(await world.recorded()).toEqual([
    {
      type: "IdentityProviderFailed",
      data: { signerId, provider: sample.provider, attempt: 1, reason: "forgotten", nextAttemptAt: null },
    },
  ]);
});
