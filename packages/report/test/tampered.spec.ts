import { createHash, hash } from "node:crypto";
import type { RecordedEvent } from "@rubrica/event-store";
import { leafOf } from "@rubrica/events";
import { FileCorruptError, type KnownEnd } from "@rubrica/storage";
import { type Told, tell } from "@rubrica/test-kit/report/story";
import { openWorld, type World } from "@rubrica/test-kit/report/world";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createReports, type Reports, ReportUnavailable } from "../src/index.ts";
import { linesOf, textOf, toolsAreMissing } from "./tools.ts";

const missing = toolsAreMissing();

const asSent = Buffer.from("%PDF-1.7 as it was sent");

let world: World;
let told: Told;
beforeAll(async () => {
  world = await openWorld();
  told = await tell(world, { people: [{ name: "Ana Paz" }], sent: asSent });
});
afterAll(() => world[Symbol.asyncDispose]());

/** The report of the document as it is after somebody got at what is stored. */
const reportOn = async (changed: { events?: Change; file?: string; known?: KnownEnd }): Promise<Uint8Array> => {
  const { journal, files } = world;
  const store = Object.assign(Object.create(journal.store), {
    async *readStream(stream: string) {
      for await (const event of journal.store.readStream(stream)) yield* (changed.events ?? ((same) => [same]))(event);
    },
    streamEnd: (stream: string) => journal.store.streamEnd(stream),
  });
  const get = (owner: string, sha256: string) =>
    sha256 === changed.file ? Promise.reject(new FileCorruptError()) : files.get(owner, sha256);
  const restore: typeof journal.restore = (events) => journal.restore(events);
  const reports: Reports = createReports({
    ...world,
    journal: { store, restore },
    known: {
      head: async () => undefined,
      end: async (stream: string) => (stream === changed.known?.stream ? changed.known : undefined),
    },
    files: { get },
    publicUrl: "https://sign.example",
  });
  try {
    return await reports.build(told.documentId, "somebody");
  } finally {
    await reports.close();
  }
};

type Change = (event: RecordedEvent) => RecordedEvent[];

const on =
  (type: string, change: Change): Change =>
  (event) =>
    event.type === type ? change(event) : [event];

describe.skipIf(missing)("what was tampered with is stated", () => {
  test.each<[string, Change, number]>([
    [
      "a time",
      on("ConsentGiven", (event) => [{ ...event, metadata: { ...event.metadata, at: "2026-11-20T00:00:00.000Z" } }]),
      9,
    ],
    [
      "what an event says",
      on("DocumentSigned", (event) => {
        const data = { ...(event.data.data as object), timeZone: "Asia/Tokyo" };
        return [{ ...event, data: { ...event.data, data } }];
      }),
      10,
    ],
    [
      "who somebody is",
      on("SigningPageOpened", (event) => [{ ...event, data: { ...event.data, personal: "AAAA" } }]),
      8,
    ],
    ["an event that is gone", on("MessageDelivered", () => []), 6],
  ])("%s", async (_what, events, number) => {
    const text = textOf(await reportOn({ events }));
    expect(text).toContain(`ROTA: el evento n.º ${number} no coincide`);
    expect(text).toContain("Atención: fallan comprobaciones de integridad");
    expect(text).not.toContain("Íntegra");
  });

  test("an event that can't be read is listed as that", async () => {
    const pdf = await reportOn({
      events: on("SigningPageOpened", (event) => [{ ...event, data: { ...event.data, personal: "AAAA" } }]),
    });
    expect(textOf(pdf)).toContain("Contenido ilegible");
    expect(textOf(pdf)).toContain("Consentimiento otorgado");
  });

  test("a chain that was computed anew, or ends earlier, by what a signed head is over", async () => {
    const stream = `document-${told.documentId}`;
    const leaves: KnownEnd[] = [];
    for await (const event of world.journal.store.readStream(stream)) leaves.push(leafOf(event));
    const end = leaves.at(-1) as KnownEnd;
    expect(textOf(await reportOn({ known: end }))).toContain("Íntegra");
    const others = [
      { ...end, hash: "00".repeat(32) },
      { ...end, revision: end.revision + 1n },
    ];
    for (const known of others) {
      const text = textOf(await reportOn({ known }));
      expect(text).toContain(`ROTA: el evento n.º ${known.revision + 1n} no es el que abarca una cabeza firmada`);
      expect(text).toContain("Atención: fallan comprobaciones de integridad");
      expect(text).not.toContain("Íntegra");
    }
  });

  test("a file", async () => {
    const { file } = await sealedEvent();
    const lines = linesOf(await reportOn({ file: file.sha256 }));
    expect(lines).toContain("Archivo firmado | El archivo conservado NO coincide con la huella registrada. | FALLA");
    expect(lines).toContain("Atención: fallan comprobaciones de integridad");
    expect(lines).toContain("Archivo original | El archivo conservado coincide con la huella registrada. | Correcto");
  });

  test("another file in the place of the sealed one, or of the original, whatever hash is on record", async () => {
    const failed = "NO comienza con el archivo original o NO tiene el sello";
    expect(textOf(await reportOn({}))).toContain("comienza con el archivo original y tiene el sello");
    const { file } = await requestedEvent();
    const other = { ...file, sha256: hash("sha256", asSent), size: asSent.length };
    const others: Change[] = [
      on("DocumentSealed", (event) => [withData(event, { file })]),
      on("DocumentSealed", (event) => [withData(event, { certificateSha256: "00".repeat(32) })]),
      on("DocumentSealed", (event) => [withData(event, { level: "B-LTA" })]),
    ];
    for (const events of others) expect(textOf(await reportOn({ events }))).toContain(failed);
    const authenticated = on("DocumentSealed", (event) => [{ ...withData(event, { file }), metadata: event.metadata }]);
    await expect(reportOn({ events: authenticated })).rejects.toThrow(ReportUnavailable);
    // The signers' names are bound to what was asked for: where that was changed, there is nobody to report on.
    const events = on("DocumentRequested", (event) => [withData(event, { file: other })]);
    await expect(reportOn({ events })).rejects.toThrow(ReportUnavailable);
  });

  test("a file as it was sent", async () => {
    const file = createHash("sha256").update(asSent).digest("hex");
    const lines = linesOf(await reportOn({ file }));
    expect(lines).toContain("Archivo enviado | El archivo conservado NO coincide con la huella registrada. | FALLA");
    expect(lines).toContain("Atención: fallan comprobaciones de integridad");
    expect(lines).toContain("Archivo original | El archivo conservado coincide con la huella registrada. | Correcto");
  });

  test("of a stream without its first event there is no report", async () => {
    const events = on("DocumentRequested", () => []);
    await expect(reportOn({ events })).rejects.toThrow(ReportUnavailable);
  });
});

/** With another content; without a MAC, as a release wrote it that did not authenticate events. */
const withData = (event: RecordedEvent, data: object): RecordedEvent => {
  const { mac: _mac, ...metadata } = event.metadata;
  return { ...event, metadata, data: { ...event.data, data: { ...(event.data.data as object), ...data } } };
};

const requestedEvent = async () => {
  for await (const event of world.journal.read(`document-${told.documentId}`))
    if (event.type === "DocumentRequested" && event.data.file) return { file: event.data.file };
  throw new Error("it is requested");
};

const sealedEvent = async () => {
  for await (const event of world.journal.read(`document-${told.documentId}`)) {
    if (event.type === "DocumentSealed") return event.data;
  }
  throw new Error("it is sealed");
};
