import { recordSealed, reject, requestDocument, sign } from "@rubrica/domain";
import { sample } from "@rubrica/events";
import { contextOf, documentIds, openWorld, requestOf, signerOfDocument } from "@rubrica/test-kit/commands";
import { seal, signing } from "@rubrica/test-kit/document-history";
import { expect, test } from "vitest";
import { reportSubscriber } from "../src/report.ts";
import { obligationOf } from "./owed.ts";

const documentId = documentIds.first;
const signerId = signerOfDocument(documentId);
const published = { obligation: obligationOf("report"), documentId, accountId: sample.accountId };

/** A document that was requested, and the subscriber with a builder that counts its reports. */
const requested = async (build: () => Promise<number> = async () => 90_000) => {
  const world = openWorld();
  const { documents } = world.handlers;
  const built: string[] = [];
  await documents.handle(documentId, requestDocument, requestOf(documentId), contextOf("request"));
  const reports = {
    rehearse: (id: string) => {
      built.push(id);
      return build();
    },
  };
  const { meet } = reportSubscriber({ handlers: world.handlers, reports });
  return {
    ...world,
    built,
    meet: () => meet(published),
    reject: () =>
      documents.handle(documentId, reject, { signerId, reason: "no", origin: sample.origin }, contextOf("reject")),
    sign: () => documents.handle(documentId, sign, signing(signerId), contextOf("sign")),
    last: async () => (await world.eventsOf("document", documentId)).at(-1),
  };
};

test("the report of a document that has ended is built once, and recorded with its size", async () => {
  await using world = await requested();
  await world.reject();
  await world.meet();
  await world.meet();
  expect(world.built).toEqual([documentId]);
  expect(await world.last()).toMatchObject({ type: "ReportGenerated", data: { sizeBytes: 90_000 } });
});

test("a report that can't be built leaves the obligation open", async () => {
  await using world = await requested(() => Promise.reject(new Error("no memory")));
  await world.reject();
  await expect(world.meet()).rejects.toThrow("no memory");
  expect(await world.last()).toMatchObject({ type: "Rejected" });
});

test("nothing is built before the end", async () => {
  await using world = await requested();
  await world.meet();
  expect(world.built).toEqual([]);
});

test("a signed document's comes after its seal", async () => {
  await using world = await requested();
  await world.sign();
  await expect(world.meet()).rejects.toThrow();
  expect(await world.last()).toMatchObject({ type: "DocumentCompleted" });
  await world.handlers.documents.handle(documentId, recordSealed, { ...seal, sendCopies: false }, contextOf("seal"));
  await world.meet();
  expect(await world.last()).toMatchObject({ type: "ReportGenerated" });
});
