import { samplePdf } from "@rubrica/test-kit";
import { openWorld } from "@rubrica/test-kit/report/world";
import { expect, test } from "vitest";
import { Writer } from "./lives/entries.ts";
import { tell } from "./lives/teller.ts";

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

test("a seal that was completed and renewed tells its level now and then, by whom, and the files that went before", async () => {
  await using world = await openWorld();
  const writer = new Writer();
  const { sha256 } = writer.requested(await samplePdf(), 1);
  writer.signed(0, sha256);
  writer.completed();
  writer.sealed(false, { shortfall: "no timestamp authority gave a timestamp", toComplete: true });
  const linesOf = async () => {
    const said = await tell(world, writer.life());
    const lines = said?.find(({ title }) => title === "Sello electrónico")?.lines ?? [];
    return lines.filter((line) => /^(?:Nivel|Sello de tiempo|Completado|Autoridad del|Por qué|SHA-256)/.test(line));
  };
  expect(await linesOf()).toEqual([
    "Nivel alcanzado: PAdES B-B (ETSI EN 319 142-1): sello avanzado con el certificado de firma",
    "Por qué no uno superior: no timestamp authority gave a timestamp",
  ]);
  writer.augmented("complete", { at: "2026-11-21T16:00:00.000Z", authority: "CN=Acme TSA" });
  writer.augmented("renew", { at: "2030-11-21T16:00:00.000Z", authority: "CN=Other TSA" });
  const former = expect.stringMatching(/^SHA-256 de archivos entregados antes: [\da-f ]+$/);
  expect(await linesOf()).toEqual([
    "Nivel alcanzado: PAdES B-LTA (ETSI EN 319 142-1): con datos de validación y sello de tiempo de archivo",
    "Nivel al sellar: PAdES B-B (ETSI EN 319 142-1): sello avanzado con el certificado de firma",
    "Completado con sello de tiempo: 21/11/2026 16:00:00.000 UTC",
    "Completado con sello de tiempo: CN=Acme TSA",
    "Sello de tiempo renovado: 21/11/2030 16:00:00.000 UTC",
    "Sello de tiempo renovado: CN=Other TSA",
    former,
    former,
  ]);
});
