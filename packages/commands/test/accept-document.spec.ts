import { createHash } from "node:crypto";
import { derivedId } from "@rubrica/events";
import { contextOf, documentToAccept, lineId, openWorld, type World } from "@rubrica/test-kit/commands";
import { expect, test, vi } from "vitest";
import { acceptDocument } from "../src/index.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const accept = (world: World, name: string, sentBytes: Buffer | null = null) =>
  acceptDocument(world, documentToAccept(derivedId(name), Buffer.from(name), { sentBytes }), contextOf(name));

test("a document that is accepted costs a look at its own stream, at its phone's, now and formerly, when that is not known, and twice at the one's that it waits behind", async () => {
  await using world = openWorld();
  const read = vi.spyOn(world.journal.store, "readStream");
  const readBy = async (name: string) => {
    read.mockClear();
    const { turns } = await accept(world, name);
    return { queued: turns[0]?.queued, reads: read.mock.calls.map(([stream]) => stream) };
  };
  const { reads, queued } = await readBy("first");
  const found = await world.keys.lines.find(lineId);
  expect(queued).toBe(false);
  expect(reads.toSorted()).toEqual(
    [`document-${derivedId("first")}`, `phoneLine-${lineId}`, `phoneLine-${found?.line}`].toSorted(),
  );
  const own = ["first", "second", "first"].map((name) => `document-${derivedId(name)}`);
  expect(await readBy("second")).toEqual({ queued: true, reads: own });
});

const requestedIn = async (world: World, name: string) => {
  const [event] = await world.eventsOf("document", derivedId(name));
  if (event?.type !== "DocumentRequested") throw new Error("not requested");
  return event.data;
};

test("a file that was changed is kept as it was sent, too", async () => {
  await using world = openWorld();
  const documentId = derivedId("changed");
  await accept(world, "changed", Buffer.from("as it was sent"));
  const { file, sentFile } = await requestedIn(world, "changed");
  if (!file || !sentFile) throw new Error("not kept");
  expect(sentFile).toEqual({ sha256: sha256("as it was sent"), size: 14, mediaType: "application/pdf" });
  expect(String(await world.files.get(documentId, sentFile.sha256))).toBe("as it was sent");
  expect(String(await world.files.get(documentId, file.sha256))).toBe("changed");
});

test("one that was not changed is kept once", async () => {
  await using world = openWorld();
  const put = vi.spyOn(world.files, "put");
  await accept(world, "same");
  const { file, sentFile } = await requestedIn(world, "same");
  expect([put.mock.calls.length, sentFile]).toEqual([1, file]);
});
