import { createHash } from "node:crypto";
import { streamName } from "@rubrica/events";
import { docxOf, paragraph } from "@rubrica/test-kit/docx";
import { beforeAll, describe, expect, test } from "vitest";
import { base64, ana as bulkAna, bulkWorld, callOf, send } from "./bulk/calls.ts";
import { ana, ask, pdfOf, requestBy, requestedOf, requestOf } from "./requests.ts";
import { type Answer, type World, world } from "./world.ts";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** What an answer warns of, by path; nothing where there is no header. */
const warningsIn = ({ headers }: Answer): Record<string, string> => {
  const header = headers["rubrica-warnings"];
  if (header === undefined) return {};
  expect(header).toMatch(/^[\x20-\x7e]{1,4096}$/);
  const warnings = JSON.parse(String(header)) as { path: string; message: string }[];
  return Object.fromEntries(warnings.map(({ path, message }) => [path, message]));
};

describe("a document request that is odd is taken, and warned of", () => {
  let made: World;
  beforeAll(async () => {
    made = await world();
  });
  const warningsOf = async (body: unknown): Promise<Record<string, string>> => {
    const answer = await ask(made, body);
    expect([answer.status, Object.keys(answer.body)]).toEqual([
      200,
      ["id_seguimiento", "created_at", "has_queued_signers", "urls"],
    ]);
    return warningsIn(answer);
  };

  test("not when nothing is odd", async () => {
    const custom_parameters = { webhook_ulr: 1 };
    expect(await warningsOf(requestOf({ custom_parameters, webhook_url: "https://example.com/hook" }))).toEqual({});
  });

  test.each([
    ["999123456789", "is a number of no country: it begins with no calling code"],
    ["33612345", "has not as many digits as its country's numbers have"],
    ["541122334455", undefined],
    ["5491122334455", undefined],
    ["5215512345678", undefined],
    ["525512345678", undefined],
  ])("for the phone %s: %s", async (phone, message) => {
    const expected = message === undefined ? {} : { "datos_firmantes[0].phone": message };
    expect(await warningsOf(requestBy({ phone, dni_country: "FR" }))).toEqual(expected);
  });

  test.each(["ARG", "Argentina", "ZZ", "QQ"])("for the country %s, whose rules were not applied", async (code) => {
    expect(await warningsOf(requestBy({ dni: "1", dni_country: code }))).toEqual({
      "datos_firmantes[0].dni_country": "is no ISO 3166-1 alpha-2 code: no country's rules were applied",
    });
  });

  test.each([["ana@"], ["Ana <ana@example.com>"], ["ana@example.com\r\nBcc: eve@example.com"], [7]])(
    "for the e-mail address %j, which is not used",
    async (email) => {
      const made = await world();
      const answer = await ask(made, requestBy({ email }));
      expect(answer.status).toBe(200);
      expect(warningsIn(answer)["datos_firmantes[0].email"]).toBe("is no e-mail address: it is not used");
      const [requested] = await made.eventsOf(streamName("document", answer.body.id_seguimiento));
      expect(requested).toMatchObject({ personal: { signers: [{ email: null }] } });
    },
  );

  test.each([[undefined], [null], [""], [" ana.paz@example.com "]])("not for the e-mail address %j", async (email) => {
    expect(await warningsOf(requestBy({ email, dni_country: "FR" }))).toEqual({});
  });

  test("not for countries in small letters, or without rules of their own", async () => {
    expect(await warningsOf(requestBy({ dni_country: "ar" }))).toEqual({});
    expect(await warningsOf(requestBy({ dni_country: "DE" }))).toEqual({});
  });

  test("for fields whose names are nearly those of others, and for no other ones", async () => {
    const signer = { ...ana, dniCountry: "AR", posición_x: 1, whatsapp: true };
    const body = requestOf({ webhook_ulr: "https://example.com", request_photo: true, callback: 1 });
    expect(await warningsOf({ ...body, datos_firmantes: [signer] })).toEqual({
      webhook_ulr: "is no field; is webhook_url meant?",
      request_photo: "is no field; is request_photos meant?",
      "datos_firmantes[0].posición_x": "is no field; is position_x meant?",
    });
  });

  describe("for a file that is changed to be signed", () => {
    const sent = Buffer.concat([Buffer.from("before its header\n"), Buffer.from(pdfOf(), "base64")]);
    const changed = { document: sent.toString("base64") };

    test("with the hashes of both, and it is kept as it was sent", async () => {
      const answer = await ask(made, requestOf(changed));
      const documentId = answer.body.id_seguimiento;
      const { file, sentFile } = (await requestedOf(made, documentId)).data;
      if (!file || !sentFile) throw new Error("not kept");
      expect(warningsIn(answer)).toEqual({
        document:
          `is not signed as it was sent (SHA-256 ${sha256(sent)}, which is kept): ` +
          `what signers see and sign has SHA-256 ${file.sha256}`,
      });
      expect(await made.dependencies.files.get(documentId, sentFile.sha256)).toEqual(sent);
      expect(sha256(await made.dependencies.files.get(documentId, file.sha256))).toBe(file.sha256);
    });

    test("however often it is asked for, and whatever else is odd", async () => {
      const signers = Array.from({ length: 25 }, (_, index) => ({ ...ana, phone: `99912345${100 + index}` }));
      const body = requestOf({ ...changed, datos_firmantes: signers });
      for (const _ of [1, 2]) {
        const { document } = warningsIn(await ask(made, body, { headers: { "idempotency-key": "changed" } }));
        expect(document).toContain(`sent (SHA-256 ${sha256(sent)}, which is kept)`);
      }
    });

    test("not for one that is signed as it was sent", async () => {
      const answer = await ask(made, requestOf());
      const { file, sentFile } = (await requestedOf(made, answer.body.id_seguimiento)).data;
      expect([sentFile, warningsIn(answer)]).toEqual([file, {}]);
    });
  });

  test("in so many bytes at most, however much is odd", async () => {
    const signers = Array.from({ length: 25 }, (_, index) => ({ ...ana, phone: `99912345${100 + index}` }));
    const warnings = await warningsOf(requestOf({ datos_firmantes: signers }));
    expect(Object.keys(warnings)).toHaveLength(20);
    const names = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`webhook_ur${index}`, index]));
    expect(Object.keys(await warningsOf(requestOf(names)))).toHaveLength(20);
  });
});

describe("a bulk call that is odd is taken, and warned of", () => {
  test("for placeholders that no field fills, misspelt fields and phones", async () => {
    const made = await bulkWorld();
    const document = base64(docxOf(paragraph("{nombre y apellido} pays {Cuota} on {fecha }, {} and {cuota}")));
    const df = [{ ...bulkAna, msg: "999123456789", email: "no tiene" }];
    const answer = await send(made, callOf({ document, df, webhook_keys: {} }));
    expect(answer.status).toBe(200);
    const header = JSON.parse(String(answer.headers["rubrica-warnings"]));
    expect(header).toEqual([
      { path: "webhook_keys", message: "is no field; is webhook_key meant?" },
      { path: "df[0].msg", message: "is a number of no country: it begins with no calling code" },
      { path: "df[0].email", message: "is no e-mail address: it is not used" },
      { path: "document", message: "has {Cuota}, which is no field of df[0]" },
      { path: "document", message: "has {fecha}, which is no field of df[0]" },
    ]);
  });

  test("not when nothing is odd", async () => {
    expect(warningsIn(await send(await bulkWorld(), callOf()))).toEqual({});
  });
});
