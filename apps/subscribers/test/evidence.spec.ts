import { cancelDocument, reject } from "@rubrica/domain";
import { type FileReference, sample } from "@rubrica/events";
import { IdentityProviderUnavailable, type ProviderFile } from "@rubrica/identity";
import { contextOf } from "@rubrica/test-kit/commands";
import { requester } from "@rubrica/test-kit/document-history";
import { expect, test } from "vitest";
import { evidenceSubscriber } from "../src/evidence.ts";
import { identitySubscriber } from "../src/identity.ts";
import { documentId, openIdentityWorld, signerId } from "./identity-world.ts";
import { obligationOf } from "./owed.ts";

const owner = { documentId, accountId: sample.accountId };
const published = { obligation: obligationOf("fetch-evidence"), ...owner };
const check = { obligation: obligationOf("check-identity", { signerId }), ...owner };

const audit: ProviderFile = {
  kind: "audit",
  shows: null,
  name: "audit",
  mediaType: "application/json",
  bytes: Buffer.from("{}"),
};
const photo: ProviderFile = {
  kind: "photo",
  shows: "selfie",
  name: "face",
  mediaType: "image/png",
  bytes: Buffer.from("a face"),
};

/** A signer whose photos were validated. */
const checked = async () => {
  const world = await openIdentityWorld();
  await world.uploadAll();
  await identitySubscriber(world.dependencies).meet(check);
  const { meet } = evidenceSubscriber(world.dependencies);
  return { ...world, meet: () => meet(published), last: async () => (await world.recorded()).at(-1) };
};

test("the evidence of a document that has ended is fetched once, and kept", async () => {
  await using world = await checked();
  world.provider.files = async () => [audit, photo];
  await world.sign();
  await world.meet();
  await world.meet();
  expect(world.provider.subjects).toEqual([`${documentId}/${signerId}`]);
  const fetched = await world.last();
  expect(fetched).toMatchObject({
    type: "EvidenceFetched",
    data: {
      files: [
        { signerId, kind: "audit", file: { size: 2, mediaType: "application/json" } },
        { signerId, kind: "photo", shows: "selfie", file: { size: 6, mediaType: "image/png" } },
      ],
    },
  });
  if (fetched?.type !== "EvidenceFetched") throw new Error("evidence was fetched");
  const { files } = fetched.data as { files: { file: FileReference }[] };
  const kept = await Promise.all(files.map(({ file }) => world.files.get(documentId, file.sha256)));
  expect(kept.map(String)).toEqual(["{}", "a face"]);
});

type Ending = (world: Awaited<ReturnType<typeof checked>>) => Promise<unknown>;
const rejecting: Ending = ({ handlers }) => {
  const rejection = { signerId, reason: "no", origin: sample.origin };
  return handlers.documents.handle(documentId, reject, rejection, contextOf("reject"));
};
const canceling: Ending = ({ handlers }) => {
  return handlers.documents.handle(documentId, cancelDocument, { text: null, by: requester }, contextOf("cancel"));
};

test.each([
  ["rejected", rejecting],
  ["canceled", canceling],
])("the evidence of a document that was %s is fetched too, and may be none", async (_ended, end) => {
  await using world = await checked();
  await end(world);
  await world.meet();
  expect(await world.last()).toEqual({ type: "EvidenceFetched", data: { provider: sample.provider, files: [] } });
});

test("nothing is fetched before the end", async () => {
  await using world = await checked();
  await world.meet();
  expect(world.provider.subjects).toEqual([]);
});

test("each failure is recorded, until it can be had", async () => {
  await using world = await checked();
  await world.sign();
  world.provider.files = () => Promise.reject(new IdentityProviderUnavailable("unreachable", false));
  for (const attempt of [1, 2]) {
    await expect(world.meet()).rejects.toThrow(IdentityProviderUnavailable);
    expect(await world.last()).toMatchObject({ type: "EvidenceFetchFailed", data: { attempt, reason: "unreachable" } });
  }
  world.provider.files = async () => [audit];
  await world.meet();
  expect(await world.last()).toMatchObject({ type: "EvidenceFetched" });
});

test("evidence is fetched of nobody whom the provider never spoke of", async () => {
  await using world = await openIdentityWorld();
  const rejection = { signerId, reason: "no", origin: sample.origin };
  await world.handlers.documents.handle(documentId, reject, rejection, contextOf("reject"));
  await evidenceSubscriber(world.dependencies).meet(published);
  expect(world.provider.subjects).toEqual([]);
});
