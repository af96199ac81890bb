import { derivedId } from "@rubrica/events";
import { contextOf, lineId, openWorld, requestOf, type World } from "@rubrica/test-kit/commands";
import { expect, test, vi } from "vitest";
import { acceptDocument } from "../src/index.ts";

const accept = ({ handlers, files }: World, name: string) => {
  const { file: _file, ...request } = requestOf(derivedId(name));
  return acceptDocument(handlers, files, { ...request, bytes: Buffer.from(name) }, contextOf(name));
};

test("a document that is accepted costs a look at its own stream, at its phone's when that is not known, and at the one's that it waits behind", async () => {
  await using world = openWorld();
  const read = vi.spyOn(world.journal.store, "readStream");
  const readBy = async (name: string) => {
    read.mockClear();
    const { turns } = await accept(world, name);
    return { queued: turns[0]?.queued, reads: read.mock.calls.map(([stream]) => stream) };
  };
  expect(await readBy("first")).toEqual({
    queued: false,
    reads: [`document-${derivedId("first")}`, `phoneLine-${lineId}`],
  });
  const own = ["second", "first"].map((name) => `document-${derivedId(name)}`);
  expect(await readBy("second")).toEqual({ queued: true, reads: own });
});
