import { samplePdf } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { Writer } from "./lives/entries.ts";
import { tell } from "./lives/teller.ts";
import { openWorld } from "./world.ts";

test("from B-T on the seal's timestamp is told with its authority; of older records, that it was not recorded", async () => {
  await using world = await openWorld();
  const original = await samplePdf();
  const sealLines = async (given: Parameters<Writer["sealed"]>[1]) => {
    const writer = new Writer();
    const { sha256 } = writer.requested(original, 1);
    writer.signed(0, sha256);
    writer.completed();
    writer.sealed(false, given);
    const said = await tell(world, writer.life());
    return said
      ?.find(({ title }) => title === "Sello electrónico")
      ?.lines.filter((line) => line.includes("de tiempo:"));
  };
  const timestamp = { at: "2026-11-21T15:00:04.000Z", authority: "CN=Acme TSA, O=Acme" };
  expect(await sealLines({ level: "B-LTA", timestamp })).toEqual([
    "Sello de tiempo: 21/11/2026 15:00:04.000 UTC",
    "Autoridad del sello de tiempo: CN=Acme TSA, O=Acme",
  ]);
  expect(await sealLines({ level: "B-T", timestamp: null })).toEqual(["Sello de tiempo: No registrado"]);
  expect(await sealLines({ level: "B-B" })).toEqual([]);
});
