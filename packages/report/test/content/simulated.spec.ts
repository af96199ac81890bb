import { demoAccountId } from "@rubrica/events";
import { samplePdf } from "@rubrica/test-kit";
import { tell as tellStory } from "@rubrica/test-kit/report/story";
import { openWorld, type World } from "@rubrica/test-kit/report/world";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createReports } from "../../src/index.ts";
import { Writer } from "../lives/entries.ts";
import type { SaidSection } from "../lives/said.ts";
import { tell } from "../lives/teller.ts";
import { printed, textOf, toolsAreMissing } from "../tools.ts";

const missing = toolsAreMissing();

const simulator = { name: "Rubrica (simulador)", simulated: true };

let world: World;
let original: Buffer;
beforeAll(async () => {
  world = await openWorld();
  original = await samplePdf();
});
afterAll(() => world[Symbol.asyncDispose]());

/** What is said of a document that Ana Paz signed, reached and checked by the writer's providers. */
const said = async (set: (writer: Writer) => void, ownAuthority: boolean | null = false, options = {}) => {
  const writer = new Writer();
  set(writer);
  const { sha256 } = writer.requested(original, 1, options);
  writer.attempted(0, "template", 1);
  writer.sent(0, "template", 1);
  writer.noticed("MessageDelivered", 0, "template");
  writer.attempted(0, "link", 1);
  writer.sent(0, "link", 1);
  writer.opened(0);
  writer.checkedSelfie(0, "approved");
  writer.consented(0, sha256);
  writer.signed(0, sha256);
  writer.completed();
  writer.sealed(ownAuthority);
  const sections = (await tell(world, writer.life())) ?? [];
  const linesOf = (title: string) => sections.find((section: SaidSection) => section.title === title)?.lines ?? [];
  return { first: linesOf("").join("\n"), ana: linesOf("Ana Paz"), seal: linesOf("Sello electrónico"), linesOf };
};

describe("what was simulated", () => {
  test("is named where it is claimed and on the first page: messages", async () => {
    const { first, ana, linesOf } = await said((writer) => {
      writer.messaging = simulator;
    });
    expect(first).toContain("El envío de mensajes fue simulado por Rubrica (simulador): ningún mensaje llegó");
    expect(first).not.toContain("La validación de identidad fue simulada");
    expect(ana).toContain("Contacto: Por mensaje simulado: ningún mensaje llegó a un teléfono");
    expect(ana).toContain("Contacto: Mensaje entregado: 21/11/2026 15:00:03.250 UTC · simulado");
    expect(ana).toContain("Contacto: Proveedor de mensajes: Rubrica (simulador), simulado");
    expect(ana.join("\n")).not.toContain("Por mensaje al teléfono indicado");
    expect(linesOf("Alcance").join("\n")).not.toContain("teléfono");
    const log = linesOf("Registro de eventos").filter((line) => line.includes("simulado"));
    expect(log.map((line) => /[A-Z]\w+(?: ·)/.exec(line)?.[0])).toEqual([
      "MessageAttempted ·",
      "MessageSent ·",
      "MessageDelivered ·",
      "MessageAttempted ·",
      "SignatureLinkSent ·",
    ]);
    expect(log[2]).toContain("| Simulador");
  });

  test("is named where it is claimed and on the first page: identity", async () => {
    const { first, ana, linesOf } = await said((writer) => {
      writer.identity = simulator;
    });
    expect(first).toContain("La validación de identidad fue simulada por Rubrica (simulador): nadie comparó");
    const check = ana.find((line) => line.includes("Selfie (biometría facial)"));
    expect(check).toContain("Aprobado (simulado) Proveedor: Rubrica (simulador), simulado");
    expect(linesOf("Alcance").join("\n")).not.toContain("validaciones de identidad");
  });

  test("is a part where a real provider took another message: it is not said that none arrived", async () => {
    const writer = new Writer();
    const { sha256 } = writer.requested(original, 1, {});
    writer.messaging = simulator;
    writer.attempted(0, "template", 1);
    writer.sent(0, "template", 1);
    writer.messaging = { name: "WhatsApp (Meta)", simulated: false };
    writer.attempted(0, "link", 1);
    writer.sent(0, "link", 1);
    writer.consented(0, sha256);
    writer.signed(0, sha256);
    writer.completed();
    writer.sealed(false);
    const sections = (await tell(world, writer.life())) ?? [];
    const first = sections.find(({ title }: SaidSection) => title === "")?.lines.join("\n");
    expect(first).toContain("Una parte de los mensajes fue simulada por Rubrica (simulador): de esos, ninguno llegó");
    expect(first).not.toContain("ningún mensaje llegó");
  });

  test("is nothing where providers are real: they are named", async () => {
    const { first, ana } = await said(() => {});
    expect(first).not.toContain("simulad");
    expect(first).not.toContain("autoridad propia");
    expect(ana).toContain("Contacto: Proveedor de mensajes: WhatsApp (Meta)");
    expect(ana.find((line) => line.includes("Selfie"))).toMatch(/Aprobado Proveedor: Acme Identity$/);
  });

  test("is not made up of events from before it was recorded", async () => {
    const { first, ana, seal } = await said((writer) => {
      writer.messaging = null;
      writer.identity = null;
    }, null);
    expect(first).not.toContain("simulad");
    expect(ana).toContain("Contacto: Proveedor de mensajes: No registrado");
    expect(ana.find((line) => line.includes("Selfie"))).toMatch(/Aprobado Proveedor: No registrado$/);
    expect(seal).toContain("Autoridad: No registrado");
  });

  test("the own authority's seal is named so", async () => {
    const { first, seal } = await said(() => {}, true);
    expect(first).toContain("Sello con certificado de una autoridad propia. El servicio emitió él mismo");
    expect(seal).toContain("Autoridad: Propia del servicio: nadie más la reconoce");
  });

  test("the demo account's document says so", async () => {
    expect((await said(() => {}, false, { accountId: demoAccountId })).first).toContain("la cuenta de demostración");
  });
});

test.skipIf(missing)("each page of a report says that parts were simulated, and none where nothing was", async () => {
  await using reports = Object.assign(createReports({ ...world, publicUrl: "https://sign.example" }), {
    async [Symbol.asyncDispose]() {
      await reports.close();
    },
  });
  const pagesWith = async (simulated: boolean) => {
    const told = await tellStory(world, { people: [{ name: "Ana Paz" }], simulated });
    const pdf = await reports.build(told.documentId, "test");
    const pages = Number(/Pages:\s+(\d+)/.exec(printed(pdf, "pdfinfo", "{}"))?.[1]);
    return [pages, textOf(pdf).match(/CON PARTES SIMULADAS/g)?.length ?? 0];
  };
  const [pages, marked] = await pagesWith(true);
  expect(pages).toBeGreaterThan(2);
  expect(marked).toBe(pages);
  expect((await pagesWith(false))[1]).toBe(0);
});
