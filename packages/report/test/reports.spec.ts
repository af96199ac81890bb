import { createHash } from "node:crypto";
import { currentConsent } from "@rubrica/domain";
import { sample, streamName } from "@rubrica/events";
import { samplePhoto } from "@rubrica/test-kit";
import { type Told, tell } from "@rubrica/test-kit/report/story";
import { openWorld, type World } from "@rubrica/test-kit/report/world";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createReports, ReportUnavailable } from "../src/index.ts";
import { attachmentOf, denseTextOf, linesOf, printed, textOf, toolsAreMissing } from "./tools.ts";

const missing = toolsAreMissing();

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const eventsOf = async (world: World, documentId: string) => {
  const events = [];
  for await (const event of world.journal.store.readStream(streamName("document", documentId))) events.push(event);
  return events;
};

describe.skipIf(missing)("the report of a signed document", () => {
  // Of its own: what is printed are the times since the world's beginning.
  let world: World;
  let told: Told;
  let pdf: Uint8Array;
  beforeAll(async () => {
    world = await openWorld();
    const people = [{ name: "Ana Paz", timeZone: "America/Argentina/Buenos_Aires" }];
    told = await tell(world, { people, documentName: "Contrato de locación", businessName: "ACME Propiedades" });
    pdf = await world.reports.build(told.documentId, "somebody");
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test("names the document, its hashes before and after, and how it ended", () => {
    const text = denseTextOf(pdf);
    expect(textOf(pdf)).toContain("Contrato de locación");
    expect(textOf(pdf)).toContain(
      "Solicitado por la cuenta: ACME S.A. Nombre mostrado a los firmantes: ACME Propiedades",
    );
    expect(textOf(pdf)).toContain(`Cuenta que lo solicitó ACME S.A. ${sample.accountId}`);
    expect(textOf(pdf)).toContain(`Clave de API usada producción ${sample.keyId}`);
    expect(textOf(pdf)).toContain("Dirección IP de la solicitud 198.51.100.4");
    expect(textOf(pdf)).toContain("La persona requerida firmó el documento el 21/11/2026 15:05:03 UTC");
    expect(text).toContain(told.documentId);
    expect(text).toContain(sha256(told.original));
    expect(text).toContain(sha256(told.sealed ?? new Uint8Array()));
  });

  test("tells who signed: how they were reached, what they agreed to, from where", () => {
    const text = textOf(pdf);
    for (const said of [
      "Ana Paz",
      "30123456 (AR)",
      "5491122334455",
      "Enlace personal, único por firmante",
      "Mensaje entregado: 21/11/2026 15:04:34.364 UTC",
      "21/11/2026 15:05:03.608 UTC (21/11/2026 12:05:03 America/Argentina/Buenos_Aires)",
      "203.0.113.7",
      "Safari 17.4 · iOS 17.4 · Apple iPhone",
      "Version/17.4 Mobile/15E148 Safari/604.1",
      `Versión ${currentConsent.version}, aceptado el 21/11/2026 15:05:03.608 UTC`,
      currentConsent.text,
    ]) {
      expect(text).toContain(said);
    }
  });

  test("lists every event in order, with its time, its type and its hash", async () => {
    const events = await eventsOf(world, told.documentId);
    const text = textOf(pdf);
    const types = events.map(({ type }) => type);
    const found = text.match(new RegExp(`(?<= )(${[...new Set(types)].join("|")})(?= )`, "g"));
    expect(found).toEqual(types);
    for (const { metadata } of events) expect(text).toContain(String(metadata.hash).slice(0, 16));
    expect(text).toContain("Consentimiento otorgado");
  });

  test("states that the chain holds, and its head", async () => {
    const events = await eventsOf(world, told.documentId);
    expect(textOf(pdf)).toContain(`Íntegra: los ${events.length} eventos registrados`);
    // A chain by itself does not tell that its end is there, nor that it was not computed anew.
    expect(textOf(pdf)).toContain("sin alteraciones, faltantes entre ellos ni cambios de orden");
    expect(textOf(pdf)).toContain("lo prueban la huella final y la cabeza firmada");
    expect(textOf(pdf)).toContain("archivos de evidencia (imágenes de firmas, fotografías, auditorías)");
    expect(textOf(pdf)).not.toContain("FALLA");
    expect(denseTextOf(pdf)).toContain(String(events.at(-1)?.metadata.hash));
  });

  test("shows the seal's level and its chain of certificates", () => {
    const text = denseTextOf(pdf);
    expect(textOf(pdf)).toContain("PAdES B-B");
    for (const certificate of [world.identity.certificate, ...world.identity.issuers]) {
      expect(text).toContain(sha256(certificate));
    }
    expect(textOf(pdf)).toContain("CN=Rubrica Document Seal");
  });

  test("shows what the signer drew", () => {
    expect(printed(pdf, "pdfimages", "-list", "{}").match(/ jpeg /g)).toHaveLength(1);
  });

  test("leads to the page that verifies the document", () => {
    const url = `https://sign.example/verify?document=${told.documentId}&sha256=${sha256(told.sealed ?? new Uint8Array())}`;
    expect(denseTextOf(pdf)).toContain(url);
    const uris = printed(pdf, "pdfinfo", "-url", "{}");
    expect(uris.split(url).length - 1).toBeGreaterThanOrEqual(2);
  });

  test("has its number and the document's id on each page", () => {
    const lines = linesOf(pdf);
    const pages = Number(/Pages:\s+(\d+)/.exec(printed(pdf, "pdfinfo", "{}"))?.[1]);
    const footers = lines.filter((line) => line.startsWith(`Documento ${told.documentId} | Página`));
    expect(pages).toBeGreaterThan(1);
    expect(footers).toEqual(
      Array.from({ length: pages }, (_, index) => `Documento ${told.documentId} | Página ${index + 1} de ${pages}`),
    );
  });

  test("names what its file does by itself, where it was signed before and kept as it is", async () => {
    expect(textOf(pdf)).not.toContain("Contenido activo");
    const active = Buffer.from(
      "%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>>>endobj\n" +
        "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
        "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/AA<</O<</S/Launch/F(calc)>>>>>>endobj\n" +
        "trailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF\n",
    );
    const { bytes: original } = await world.pdf.seal(active, { identity: world.identity, sealedAt: world.clock.now() });
    const signedBefore = await tell(world, { people: [{ name: "Ana Paz" }], original });
    const text = denseTextOf(await world.reports.build(signedBefore.documentId, "test"));
    expect(text).toContain("contienecódigoJavaScriptyaccionesqueinicianprogramas");
  });

  test("states the hash of its file as it was sent, too, where that was changed", async () => {
    const sent = Buffer.from("%PDF-1.7 as it was sent");
    const changed = await tell(world, { people: [{ name: "Ana Paz" }], sent });
    const text = denseTextOf(await world.reports.build(changed.documentId, "test"));
    expect(text).toContain(`SHA-256delarchivotalcomofueenviado${sha256(sent)}23bytesAlrecibirlo,`);
    expect(text).toContain(`SHA-256delarchivooriginal${sha256(changed.original)}`);
    expect(denseTextOf(pdf)).toContain("talcomofueenviadoEldelarchivooriginal,que");
  });

  test("is sealed itself, by the service", () => {
    const signatures = printed(pdf, "pdfsig", "-nocert", "{}");
    expect(signatures).toContain("Signature is Valid");
    expect(signatures).toContain("Total document signed");
    expect(signatures).toContain("ETSI.CAdES.detached");
    expect(printed(pdf, "qpdf", "--check", "{}")).toContain("No syntax or stream encoding errors found");
  });

  test("says which language it is in, and what it is", () => {
    expect(printed(pdf, "pdfinfo", "{}")).toContain(`Informe legal de firma electrónica · ${told.documentId}`);
    expect(Buffer.from(pdf).includes("/Lang (es)")).toBe(true);
  });
});

describe.skipIf(missing)("what came later", () => {
  test("the certificates are those that sealed the file, whatever the service seals with today", async () => {
    const told = await tell(world, { people: [{ name: "Ana Paz" }] });
    await using later = await openWorld();
    const reports = createReports({ ...world, identity: later.identity, publicUrl: "https://sign.example" });
    const pdf = await reports.build(told.documentId, "somebody");
    await reports.close();
    expect(denseTextOf(pdf)).toContain(sha256(world.identity.certificate));
    expect(denseTextOf(pdf)).not.toContain(sha256(later.identity.certificate));
  });
});

describe.skipIf(missing)("the identity provider's evidence", () => {
  const told = (fetched: boolean) => tell(world, { people: [{ name: "Ana Paz" }], photos: true, fetched });

  test("is shown and listed with its hashes, and its audit goes with the report", async () => {
    const { documentId, providerFiles } = await told(true);
    const [audit, photo] = providerFiles;
    if (!audit || !photo) throw new Error("the provider kept an audit and a photo");
    const pdf = await world.reports.build(documentId, "somebody");
    const text = textOf(pdf);
    expect(denseTextOf(pdf)).toContain(audit.sha256);
    expect(denseTextOf(pdf)).toContain(photo.sha256);
    expect(text).toContain("Adjunta a este informe: auditoria-firmante-1-1.json");
    expect(text).toContain(`application/json ${audit.size} bytes`);
    expect(printed(pdf, "pdfdetach", "-list", "{}")).toMatch(/1 embedded files\s+1: auditoria-firmante-1-1\.json/);
    expect(attachmentOf(pdf, 1)).toEqual(await world.files.get(documentId, audit.sha256));
    expect(text).toContain("7 de 7 archivos de evidencia");
  });

  test("has its photos captioned by what they show, as far as somebody said it", async () => {
    const kept = [
      { jpeg: await samplePhoto("selfie", 120), shows: "idFront" as const },
      // The back of the document as the signer sent it.
      { jpeg: await samplePhoto("idBack", 213), shows: null },
      { jpeg: await samplePhoto("selfie", 121), shows: null },
    ];
    const story = { people: [{ name: "Ana Paz" }], photos: true, fetched: true, kept };
    const { documentId } = await tell(world, story);
    const text = textOf(await world.reports.build(documentId, "somebody"));
    const [, ofProvider = ""] = text.split("Evidencia obtenida del proveedor de identidad");
    const [captions = ""] = ofProvider.split("Tipo y tamaño");
    expect(captions).toMatch(
      /Documento, frente [0-9a-f ]{64,}Documento, dorso [0-9a-f ]{64,}Fotografía El proveedor no indicó qué muestra [0-9a-f ]{64,}/,
    );
  });

  test("that was not fetched yet is said to be awaited", async () => {
    const { documentId } = await told(false);
    const text = textOf(await world.reports.build(documentId, "somebody"));
    expect(text).toContain("todavía no entregó su evidencia");
    expect(text).not.toContain("Adjunta a este informe");
  });

  test("is not spoken of where no provider was asked", async () => {
    const { documentId } = await tell(world, { people: [{ name: "Ana Paz" }] });
    expect(textOf(await world.reports.build(documentId, "somebody"))).not.toContain("proveedor de identidad");
  });
});

describe.skipIf(missing)("photos", () => {
  test("are shown where they count, and listed with their hashes and what became of each attempt", async () => {
    const told = await tell(world, { people: [{ name: "Ana Paz" }, { name: "Bruno Díaz" }], photos: true });
    const pdf = await world.reports.build(told.documentId, "somebody");
    expect(printed(pdf, "pdfimages", "-list", "{}").match(/ jpeg /g)).toHaveLength(8);
    const events = await eventsOf(world, told.documentId);
    const files = events.filter(({ type }) => type.endsWith("Uploaded")).map(({ data }) => data.data);
    expect(files).toHaveLength(7);
    const text = denseTextOf(pdf);
    for (const data of files) expect(text).toContain((data as { file: { sha256: string } }).file.sha256);
    const lines = linesOf(pdf);
    expect(lines.filter((line) => line.includes("Selfie (biometría facial)"))).toEqual([
      expect.stringMatching(/\| 1 \| Rechazado$/),
      expect.stringMatching(/\| 2 \| Aprobado$/),
      expect.stringMatching(/\| 1 \| Aprobado$/),
    ]);
    expect(textOf(pdf)).toContain("face_not_centered");
    expect(textOf(pdf)).toContain("intento 1 · reemplazada");
    expect(textOf(pdf)).toContain("9 de 9 archivos de evidencia");
  });
});

describe.skipIf(missing)("names in any script", () => {
  test("can be read, copied and searched", async () => {
    const names = ["Łukasz Wiśniewski", "Ελένη Παπαδοπούλου", "Иван Петров", "李小龙", "김민준", "Nguyễn Thị Ánh"];
    const told = await tell(world, { people: names.map((name) => ({ name })), businessName: "Štěpán & Søn 株式会社" });
    const pdf = await world.reports.build(told.documentId, "somebody");
    const text = textOf(pdf);
    for (const name of [...names, "Štěpán & Søn 株式会社"]) expect(text).toContain(name);
    const fonts = printed(pdf, "pdffonts", "{}").split("\n").slice(2).filter(Boolean);
    expect(fonts.length).toBeGreaterThanOrEqual(5);
    for (const font of fonts) expect(font).toMatch(/ yes yes yes /);
  });
});

describe.skipIf(missing)("a rejected document", () => {
  test("has a report of who rejected it, when and why; and no seal", async () => {
    const people = [{ name: "Ana Paz" }, { name: "Bruno Díaz" }, { name: "Carla Núñez" }];
    const told = await tell(world, { people, rejectedFor: "El importe no es el acordado." });
    const pdf = await world.reports.build(told.documentId, "somebody");
    const text = textOf(pdf);
    expect(text).toMatch(/Bruno Díaz rechazó el documento el 21\/11\/2026 \d\d:\d\d:\d\d UTC/);
    expect(text).toContain("El importe no es el acordado.");
    expect(text).toContain("No existe: el documento fue rechazado.");
    expect(linesOf(pdf).filter((line) => /^[123] \| /.test(line) && line.includes("(AR)"))).toEqual([
      expect.stringContaining("Ana Paz | 30123456 (AR) | Firmó"),
      expect.stringContaining("Bruno Díaz | 30124567 (AR) | Rechazó"),
      expect.stringContaining("Carla Núñez | 30125678 (AR) | No firmó"),
    ]);
    expect(printed(pdf, "pdfsig", "-nocert", "{}")).toContain("Signature is Valid");
  });
});

describe.skipIf(missing)("a document that was taken back", () => {
  const people = [{ name: "Ana Paz" }, { name: "Bruno Díaz" }];
  const takenBack = async (reason: "canceled" | "expired") => {
    const { documentId } = await tell(world, { people, unfinished: true });
    const by = reason === "canceled" ? { accountName: "ACME", keyId: sample.keyId, keyName: "billing" } : null;
    const personal = by && { text: "Cambió el alquiler." };
    const actor = by ? "integrator" : "service/expiry";
    await world.append(
      documentId,
      [{ type: "DocumentWithdrawn", data: { reason, bulkId: null, by }, personal }],
      actor,
    );
    return documentId;
  };
  const report = async (documentId: string) => world.reports.build(documentId, "somebody");

  test("by its requester has a report of who canceled it, when and why; and no seal", async () => {
    const pdf = await report(await takenBack("canceled"));
    const text = textOf(pdf);
    expect(text).toMatch(/Quien lo solicitó canceló el documento el 21\/11\/2026 \d\d:\d\d:\d\d UTC/);
    expect(text).toContain("ACME · billing");
    expect(text).toContain("Cambió el alquiler.");
    expect(text).toContain("No existe: el documento fue cancelado.");
    expect(text).toContain("Documento cancelado por quien lo solicitó");
    expect(printed(pdf, "pdfsig", "-nocert", "{}")).toContain("Signature is Valid");
  });
  test("by its time has one of that", async () => {
    const text = textOf(await report(await takenBack("expired")));
    expect(text).toMatch(/El plazo para firmar terminó el 21\/11\/2026/);
    expect(text).toContain("Vencido el");
    expect(text).not.toContain("Cancelado por");
  });
  test("names neither the reason nor anybody once it was forgotten", async () => {
    const documentId = await takenBack("canceled");
    await world.keys.destroy(documentId);
    const text = textOf(await report(documentId));
    expect(text).not.toContain("Cambió el alquiler.");
    expect(text).toContain("Documento cancelado");
  });
});

describe.skipIf(missing)("a person who was forgotten", () => {
  test("is in no report any more; what names nobody is, and the chain still holds", async () => {
    const people = [{ name: "Zoraida Quispe", idNumber: "87654321", phone: "5491199998888" }];
    const told = await tell(world, { people, photos: true, documentName: "Pagaré", businessName: "Prestamista SRL" });
    // Before, so that pictures would be remembered.
    expect(textOf(await world.reports.build(told.documentId, "somebody"))).toContain("Zoraida Quispe");
    await world.keys.destroy(told.documentId);
    const pdf = await world.reports.build(told.documentId, "somebody");
    const text = textOf(pdf);
    const persons = [
      "Zoraida",
      "Quispe",
      "87654321",
      "5491199998888",
      "203.0.113.7",
      "198.51.100.4",
      "Safari",
      "Pagaré",
      "Prestamista",
    ];
    for (const personal of persons) expect(text).not.toContain(personal);
    expect(printed(pdf, "pdfinfo", "{}")).not.toContain("Pagaré");
    expect(printed(pdf, "pdfimages", "-list", "{}")).not.toContain("jpeg");
    expect(text).toContain("Datos eliminados");
    expect(text).toContain("Archivo eliminado");
    expect(text).toContain("Íntegra: los");
    expect(denseTextOf(pdf)).toContain(sha256(told.original));
  });
});

describe("a document that has not ended", () => {
  test.each([{ unfinished: true }, { unsealed: true }])("has no report: %o", async (stage) => {
    const told = await tell(world, { people: [{ name: "Ana Paz" }], ...stage });
    await expect(world.reports.build(told.documentId, "somebody")).rejects.toThrow(ReportUnavailable);
  });

  test("nor has one that there never was", async () => {
    await expect(world.reports.build("019aa5c0-0000-7000-8000-0000000000ff", "somebody")).rejects.toThrow(
      ReportUnavailable,
    );
  });
});

describe.skipIf(missing)("fifty signers", () => {
  test("are all there, each in full", async () => {
    const people = Array.from({ length: 50 }, (_, index) => ({ name: `Firmante Número ${index + 1}` }));
    const told = await tell(world, { people, openings: 20 });
    const pdf = await world.reports.build(told.documentId, "somebody");
    const text = textOf(pdf);
    for (const { name } of people) expect(text).toContain(name);
    expect(text.match(/Firmante \d+ de 50/g)).toHaveLength(50);
    expect(text).toContain(`Íntegra: los ${(await eventsOf(world, told.documentId)).length} eventos`);
    // The log's columns are named on each page that it goes on.
    expect(text.match(/N\.º Fecha y hora \(UTC\) Evento Quién Huella/g)?.length).toBeGreaterThan(5);
    expect(printed(pdf, "pdfsig", "-nocert", "{}")).toContain("Signature is Valid");
  });
});

test.skipIf(missing)("the report says so when it is not known from where a signer acted", async () => {
  const told = await tell(world, { people: [{ name: "Ana Paz" }], addressesKnown: false });
  const text = textOf(await world.reports.build(told.documentId, "somebody"));
  expect(text).toMatch(/Dirección IP al firmar\s+No registrada/);
  expect(text).toContain("Safari 17.4 · iOS 17.4 · Apple iPhone");
});
