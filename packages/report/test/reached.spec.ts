import { samplePdf } from "@rubrica/test-kit";
import { openWorld, type World } from "@rubrica/test-kit/report/world";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Writer } from "./lives/entries.ts";
import { tell } from "./lives/teller.ts";

let world: World;
let original: Buffer;
beforeAll(async () => {
  world = await openWorld();
  original = await samplePdf();
});
afterAll(() => world[Symbol.asyncDispose]());

/** The lines of Ana Paz, who alone was asked to sign, reached as the story says. */
const linesOfAna = async (reach: (writer: Writer) => void, options = {}): Promise<readonly string[]> => {
  const writer = new Writer();
  const { sha256 } = writer.requested(original, 1, options);
  reach(writer);
  writer.consented(0, sha256);
  writer.signed(0, sha256);
  writer.completed();
  writer.sealed();
  const said = await tell(world, writer.life());
  return said?.find(({ title }) => title === "Ana Paz")?.lines ?? [];
};

const contact = (lines: readonly string[]) =>
  lines.filter((line) => line.startsWith("Contacto: ")).map((line) => line.slice("Contacto: ".length));

describe("how a signer was reached", () => {
  test("is by message where one with the link was sent", async () => {
    const lines = await linesOfAna((writer) => {
      writer.attempted(0, "template", 1);
      writer.sent(0, "template", 1);
      writer.noticed("MessageDelivered", 0, "template");
      writer.answered("TemplateAnswered", 0);
      writer.attempted(0, "link", 1);
      writer.sent(0, "link", 1);
      writer.noticed("MessageDelivered", 0, "link");
      writer.opened(0);
    });
    expect(contact(lines)).toEqual([
      "Por mensaje al teléfono indicado, con un enlace personal",
      "Proveedor de mensajes: WhatsApp (Meta)",
      "Mensaje enviado: 21/11/2026 15:00:02.250 UTC",
      "Mensaje entregado: 21/11/2026 15:00:03.250 UTC",
      "Respondió que continúa: 21/11/2026 15:00:04.250 UTC",
      "Enlace enviado: 21/11/2026 15:00:06.250 UTC",
      "Enlace entregado: 21/11/2026 15:00:07.250 UTC",
      "Página de firma abierta: 21/11/2026 15:00:08.250 UTC",
    ]);
  });

  test("is by each medium that took a message; where there are no buttons, the link went along", async () => {
    const lines = await linesOfAna((writer) => {
      writer.medium = "sms";
      writer.attempted(0, "template", 1);
      writer.sent(0, "template", 1);
      writer.failed(0, "template", 1, "unreachable");
      writer.medium = "email";
      writer.attempted(0, "template", 1);
      writer.sent(0, "template", 1);
      writer.medium = "sms";
      writer.noticed("MessageDelivered", 0, "template");
      writer.opened(0);
    });
    expect(lines).toContain("Correo electrónico: ana@example.com");
    expect(contact(lines)).toEqual([
      "Por mensaje de texto (SMS) al teléfono indicado y correo electrónico a la dirección indicada, con un enlace personal",
      "Proveedor de mensajes: WhatsApp (Meta)",
      "Mensaje enviado: 21/11/2026 15:00:02.250 UTC · SMS",
      "Enlace enviado: 21/11/2026 15:00:02.250 UTC · SMS",
      "Mensaje no entregado: 21/11/2026 15:00:03.250 UTC (el teléfono no puede recibirlo) · SMS",
      "Mensaje enviado: 21/11/2026 15:00:05.250 UTC · correo electrónico",
      "Enlace enviado: 21/11/2026 15:00:05.250 UTC · correo electrónico",
      "Mensaje entregado: 21/11/2026 15:00:06.250 UTC · SMS",
      "Página de firma abierta: 21/11/2026 15:00:07.250 UTC",
    ]);
  });

  test("is not said where the link was opened without any message", async () => {
    expect(contact(await linesOfAna((writer) => writer.opened(0)))).toEqual([
      "No consta ningún mensaje del servicio",
      "Llegó con su enlace personal; no consta quién se lo entregó",
      "Página de firma abierta: 21/11/2026 15:00:01.250 UTC",
    ]);
  });

  test("is not by message where each failed; each failure is told, with its reason", async () => {
    const lines = await linesOfAna((writer) => {
      for (const attempt of [1, 2]) {
        writer.attempted(0, "template", attempt);
        writer.failed(0, "template", attempt, "unreachable");
      }
      writer.opened(0);
    });
    expect(contact(lines)).toEqual([
      "Se intentó enviarle un mensaje; no consta que haya salido",
      "Llegó con su enlace personal; no consta quién se lo entregó",
      "Proveedor de mensajes: WhatsApp (Meta)",
      "Mensaje no entregado: 21/11/2026 15:00:02.250 UTC (el teléfono no puede recibirlo)",
      "Mensaje no entregado: 21/11/2026 15:00:04.250 UTC (el teléfono no puede recibirlo)",
      "Página de firma abierta: 21/11/2026 15:00:05.250 UTC",
    ]);
  });

  test("is by a message without a link where the signer never asked for it", async () => {
    const lines = await linesOfAna((writer) => {
      writer.attempted(0, "template", 1);
      writer.sent(0, "template", 1);
      writer.answered("ContinueRefused", 0);
    });
    expect(contact(lines)).toEqual([
      "Por mensaje al teléfono indicado; no consta el envío del enlace personal",
      "Llegó con su enlace personal; no consta quién se lo entregó",
      "Proveedor de mensajes: WhatsApp (Meta)",
      "Mensaje enviado: 21/11/2026 15:00:02.250 UTC",
      "Respondió que no continúa: 21/11/2026 15:00:03.250 UTC",
    ]);
  });

  test("says so where the requester wanted no messages", async () => {
    const lines = await linesOfAna((writer) => writer.opened(0), { sendMessages: false });
    expect(contact(lines)[0]).toBe("Sin mensajes del servicio, por pedido del solicitante");
    expect(lines.join("\n")).not.toContain("por el solicitante");
  });
});

describe("what the report rests on", () => {
  const scopeOf = async (reach: (writer: Writer) => void): Promise<string> => {
    const writer = new Writer();
    const { sha256 } = writer.requested(original, 1);
    reach(writer);
    writer.signed(0, sha256);
    writer.completed();
    writer.sealed();
    const said = await tell(world, writer.life());
    return said?.find(({ title }) => title === "Alcance")?.lines.join("\n") ?? "";
  };

  test("is no phone where no message reached one", async () => {
    expect(await scopeOf((writer) => writer.sent(0, "template", 1))).toContain(
      "en nada más: la posesión de su enlace personal.",
    );
    expect(await scopeOf((writer) => writer.noticed("MessageDelivered", 0, "template"))).toContain(
      "en nada más: la posesión de su enlace personal y la del teléfono en que recibió un mensaje.",
    );
    const byMail = await scopeOf((writer) => {
      writer.medium = "email";
      writer.attempted(0, "template", 1);
      writer.sent(0, "template", 1);
      writer.noticed("MessageDelivered", 0, "template");
    });
    expect(byMail).toContain("en nada más: la posesión de su enlace personal.");
  });
});

describe("what a life that was cut short says", () => {
  test("no consent is claimed where none is on record", async () => {
    const writer = new Writer();
    const { sha256 } = writer.requested(original, 2);
    writer.consented(0, sha256);
    writer.signed(0, sha256);
    writer.signed(1, sha256);
    writer.completed();
    writer.sealed();
    const said = await tell(world, writer.life());
    expect(said?.find(({ title }) => title === "Bruno Díaz")?.lines).toContain("Consentimiento: No consta");
    const checks = said?.find(({ title }) => title === "Comprobaciones")?.lines.join("\n");
    expect(checks).toContain("No consta el consentimiento de Bruno Díaz.");
    expect(checks).not.toContain("No consta el consentimiento de Ana Paz.");
  });

  test("no signature is counted that is not on record", async () => {
    const writer = new Writer();
    const { sha256 } = writer.requested(original, 2);
    writer.consented(0, sha256);
    writer.signed(0, sha256);
    writer.completed();
    writer.sealed();
    const said = await tell(world, writer.life());
    expect(said?.[0]?.lines.join("\n")).toContain(
      "Documento firmado. Firmas registradas: 1 de 2 requeridas. Última firma: 21/11/2026 15:00:02 UTC.",
    );
  });
});
