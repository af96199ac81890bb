import { type CorrectableField, type DocumentEvent, sample } from "@rubrica/events";
import { samplePdf } from "@rubrica/test-kit";
import { openWorld } from "@rubrica/test-kit/report/world";
import { expect, test } from "vitest";
import { names, signerIdOf, Writer } from "../lives/entries.ts";
import { tell } from "../lives/teller.ts";

type Corrected = Extract<DocumentEvent, { type: "SignerCorrected" }>;

const asked = {
  idCustom: "own-1",
  name: names[0],
  idNumber: "30123450",
  idNumberCountry: "AR",
  phone: "5491122334450",
  email: "ana@example.com",
};
const corrected = (
  linkNumber: number,
  fields: CorrectableField[],
  keyName: string | null,
  personal: Corrected["personal"],
): Corrected => ({
  type: "SignerCorrected",
  data: {
    signerId: signerIdOf(0),
    correctionId: `019aa5c0-0000-7000-8000-00000000000${linkNumber}`,
    linkNumber,
    fields,
    formerLineId: sample.lineId,
    lineId: sample.lineId,
    by: { accountName: "ACME S.A.", keyId: sample.keyId, keyName },
  },
  personal,
});

test("a report tells what of a signer was corrected, from what to what, when, and by which key", async () => {
  await using world = await openWorld();
  const writer = new Writer();
  writer.requested(await samplePdf(), 1);
  const first = { ...asked, phone: "5491166667777", name: "Ana Páez" };
  const last = { ...first, email: null };
  writer.add("integrator", corrected(1, ["name", "phone"], "producción", { before: asked, after: first }));
  writer.add("integrator", corrected(2, ["email"], null, { before: first, after: last }));
  writer.rejected(0, "no");
  const lines = ((await tell(world, writer.life())) ?? []).flatMap((section) => section.lines);
  expect(lines.filter((line) => line.startsWith("Datos corregidos"))).toEqual([
    "Datos corregidos: 21/11/2026 15:00:01.250 UTC, por ACME S.A., clave producción",
    "Datos corregidos: Nombre: Ana Paz → Ana Páez",
    "Datos corregidos: Teléfono: 5491122334450 → 5491166667777",
    `Datos corregidos: 21/11/2026 15:00:02.250 UTC, por ACME S.A., clave ${sample.keyId}`,
    "Datos corregidos: Correo electrónico: ana@example.com → —",
  ]);
  expect(lines).toContain("Teléfono: 5491166667777");
});

test("how a signer came to the page is told by what they were sent since: before, another phone was", async () => {
  await using world = await openWorld();
  const linesAfter = async (isCorrected: boolean) => {
    const writer = new Writer();
    writer.requested(await samplePdf(), 1);
    writer.attempted(0, "template", 1);
    writer.sent(0, "template", 1);
    writer.answered("ContinueRefused", 0);
    const after = { ...asked, phone: "5491166667777" };
    if (isCorrected) writer.add("integrator", corrected(1, ["phone"], null, { before: asked, after }));
    writer.opened(0);
    writer.rejected(0, "no");
    const sections = (await tell(world, writer.life())) ?? [];
    return sections.find(({ lines }) => lines.some((line) => line.startsWith("Teléfono: ")))?.lines ?? [];
  };
  const sent = (lines: readonly string[]) => lines.filter((line) => line.startsWith("Contacto: Mensaje enviado"));
  expect(sent(await linesAfter(false))).toHaveLength(1);
  expect(sent(await linesAfter(true))).toHaveLength(0);
});
