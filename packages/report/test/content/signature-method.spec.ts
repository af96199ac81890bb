import type { SignatureMethod } from "@rubrica/events";
import { samplePdf } from "@rubrica/test-kit";
import { openWorld, type World } from "@rubrica/test-kit/report/world";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Writer } from "../lives/entries.ts";
import { tell } from "../lives/teller.ts";

let world: World;
let original: Buffer;
beforeAll(async () => {
  world = await openWorld();
  original = await samplePdf();
});
afterAll(() => world[Symbol.asyncDispose]());

const titles = [
  "Firma dibujada",
  "Nombre escrito con teclado",
  "Firma (no se registró si se dibujó o se escribió)",
] as const;

test.each<[SignatureMethod | null, (typeof titles)[number]]>([
  ["drawn", titles[0]],
  ["typed", titles[1]],
  [null, titles[2]],
])("a signature of which %s is recorded is printed as that, and as nothing else", async (method, title) => {
  const writer = new Writer();
  const { sha256 } = writer.requested(original, 1, {});
  writer.consented(0, sha256);
  writer.signed(0, sha256, method);
  writer.completed();
  writer.sealed(true);
  const said = JSON.stringify(await tell(world, writer.life()));
  expect(titles.filter((each) => said.includes(each))).toEqual([title]);
});
