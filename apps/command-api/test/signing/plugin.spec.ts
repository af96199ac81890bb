import { Readable } from "node:stream";
import { prepareDocument, recordSealed, requestDocument } from "@rubrica/domain";
import { derivedId, sample, streamName } from "@rubrica/events";
import { samplePdf } from "@rubrica/test-kit";
import { bareRequest } from "@rubrica/test-kit/bare-request";
import { seal } from "@rubrica/test-kit/document-history";
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { ana, leo } from "../requests.ts";
import { asked, post, shown, shownSha256, signature, typesOf } from "../signing.ts";
import { accounts, NOW, type World, world } from "../world.ts";

const UNKNOWN = { error: "Unknown signing link", code: "unknown_link" };
const ENDED = { error: "The document has ended", code: "document_ended" };
const both = { datos_firmantes: [ana, leo] };

let made: World;
beforeAll(async () => {
  made = await world();
});

const contextFor = (commandId: string) => ({
  commandId,
  accountId: accounts.pro,
  actor: "test",
  correlationId: commandId,
  causationId: commandId,
});

/** A bulk row's document, whose PDF is still to be made, and its signer's address. */
const preparing = async () => {
  const { handlers, tokens } = made.dependencies;
  const documentId = made.dependencies.runtime.ids.uuidv7();
  const command = {
    ...bareRequest,
    documentId,
    channel: "bulk" as const,
    file: null,
    sentFile: null,
    pageCount: null,
    bulk: { bulkId: sample.bulkId, row: 0 },
    requester: null,
    requestIp: null,
    account: { accountId: accounts.pro, plan: "pro" as const, businessName: null },
    signers: [
      {
        signerId: derivedId("signer", documentId),
        idCustom: "7",
        name: "Ana Paz",
        idNumber: "30123456",
        idNumberCountry: "AR",
        phone: "5491122334455",
        email: null,
        lineId: sample.lineId,
        placement: { pages: 1, x: 0, y: 0 },
      },
    ],
  };
  await handlers.documents.handle(documentId, requestDocument, command, contextFor(`${documentId}/request`));
  return { documentId, link: `/api/signing/${tokens.make(documentId, 0)}` };
};

describe("the overview", () => {
  test("has exactly what a page shows", async () => {
    const fields = { document_name: "Lease", wpp_business_name: "ACME", ...both };
    const { links } = await asked(made, fields);
    const missing = { state: "missing", attempt: 0, reason: null };
    const { status, body } = await made.get(String(links[1]));
    expect([status, body]).toEqual([
      200,
      {
        document_name: "Lease",
        business_name: "ACME",
        account_name: "pro",
        signer: { name: "Leo Ruiz", dni: "E12345" },
        status: "pending",
        page_count: 1,
        document_sha256: shownSha256,
        request_photos: false,
        photos: { selfie: missing, dni_frontal: missing, dni_trasera: missing },
        can_sign: true,
        consent: { version: signature.consent_version, text: expect.stringContaining("acepto firmarlo") },
      },
    ]);
  });

  test("tells each signer how the document stands for them", async () => {
    const { links } = await asked(made, both);
    const [first = "", second = ""] = links;
    const statuses = async () =>
      Promise.all(
        links.map(async (link) => {
          const { body } = await made.get(link);
          return [body.status, body.can_sign];
        }),
      );
    await post(made, `${first}/sign`, signature);
    expect(await statuses()).toEqual([
      ["signed", false],
      ["pending", true],
    ]);
    await post(made, `${second}/reject`, { reason: "no" });
    expect(await statuses()).toEqual([
      ["signed", false],
      ["rejected", false],
    ]);
    const other = await asked(made, both);
    await post(made, `${other.links[0]}/reject`, { reason: "no" });
    expect((await made.get(String(other.links[1]))).body.status).toBe("ended");
  });

  test("says that a document is being prepared: nothing to show or sign yet", async () => {
    const { documentId, link } = await preparing();
    const { status, body } = await made.get(link);
    expect([status, body.status, body.page_count, body.document_sha256, body.can_sign]).toEqual([
      200,
      "pending",
      null,
      null,
      false,
    ]);
    const BEING_PREPARED = { error: "The document is being prepared", code: "document_being_prepared" };
    const document = await made.get(`${link}/document`);
    expect([document.status, document.body]).toEqual([409, BEING_PREPARED]);
    for (const [path, content] of [
      ["sign", signature],
      ["reject", { reason: "no" }],
    ] as const) {
      const answer = await post(made, `${link}/${path}`, content);
      expect([answer.status, answer.body]).toEqual([409, BEING_PREPARED]);
    }
    const prepared = { bulkId: sample.bulkId, file: sample.pdf, pageCount: 2 };
    const { handlers } = made.dependencies;
    await handlers.documents.handle(documentId, prepareDocument, prepared, contextFor(`${documentId}/prepare`));
    expect((await made.get(link)).body).toMatchObject({ page_count: 2, can_sign: true });
  });
});

describe("a signer's files", () => {
  test("are the document as it will be signed, and the sealed one once it is there", async () => {
    const { documentId, links } = await asked(made);
    const document = await made.get(`${links[0]}/document`);
    expect([document.status, document.headers["content-type"]]).toEqual([200, "application/pdf"]);
    expect(document.bytes.equals(shown)).toBe(true);
    const NOT_YET = { error: "The signed document is not available yet", code: "not_available" };
    const before = await made.get(`${links[0]}/signed`);
    expect([before.status, before.body]).toEqual([404, NOT_YET]);
    await post(made, `${links[0]}/sign`, signature);
    expect((await made.get(`${links[0]}/signed`)).status).toBe(404);
    const sealed = await samplePdf({ text: "sealed" });
    const { files, handlers } = made.dependencies;
    const file = await files.put(documentId, sealed, "application/pdf");
    const command = { ...seal, file, sendCopies: false };
    await handlers.documents.handle(documentId, recordSealed, command, contextFor(`${documentId}/seal`));
    const after = await made.get(`${links[0]}/signed`);
    expect([after.status, after.headers["content-type"]]).toEqual([200, "application/pdf"]);
    expect(after.bytes.equals(sealed)).toBe(true);
  });
});

describe("signing", () => {
  test("records consent, signature, its drawing and from where; the last one completes the document", async () => {
    const own = await world();
    const { documentId, links } = await asked(own, both);
    const first = await post(own, `${links[1]}/sign`, signature);
    expect([first.status, first.body]).toEqual([200, { signed: true }]);
    expect(await typesOf(own, documentId)).toEqual([
      "DocumentRequested",
      "SignerTurnCame",
      "ConsentGiven",
      "DocumentSigned",
    ]);
    const last = await post(own, `${links[0]}/sign`, signature);
    expect([last.status, last.body]).toEqual([200, { signed: true }]);
    const events = await own.eventsOf(`document-${documentId}`);
    expect(events.at(-1)?.type).toBe("DocumentCompleted");
    const signed = events.find(({ type }) => type === "DocumentSigned");
    if (signed?.type !== "DocumentSigned") throw new Error("not signed");
    expect(signed).toMatchObject({
      data: { documentSha256: shownSha256, timeZone: "America/Argentina/Buenos_Aires", method: "typed" },
      personal: { ip: "127.0.0.1", userAgent: "lightMyRequest" },
      metadata: { actor: "signer", accountId: accounts.pro, at: NOW },
    });
    const { files } = own.dependencies;
    const drawn = await files.get(documentId, signed.data.drawing.sha256);
    expect(`data:image/png;base64,${drawn.toString("base64")}`).toBe(signature.garabato);
    const jpeg = await files.get(documentId, signed.data.drawingJpeg.sha256);
    expect((await sharp(jpeg).metadata()).format).toBe("jpeg");
  });

  test("works before the signer's turn came", async () => {
    const own = await world();
    await asked(own);
    const { links, documentId } = await asked(own);
    expect(await typesOf(own, documentId)).toEqual(["DocumentRequested", "SignerQueued"]);
    expect((await post(own, `${links[0]}/sign`, signature)).status).toBe(200);
    expect(await typesOf(own, documentId)).toContain("DocumentCompleted");
  });

  test("twice signs once and answers the same, also when it was the last signature, whatever comes with it", async () => {
    const { documentId, links } = await asked(made);
    const first = await post(made, `${links[0]}/sign`, signature);
    const before = await typesOf(made, documentId);
    const second = await post(made, `${links[0]}/sign`, { ...signature, document_sha256: "ab".repeat(32) });
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await typesOf(made, documentId)).toEqual(before);
  });

  test("many times at once signs once", async () => {
    const { documentId, links } = await asked(made);
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(made, `${links[0]}/sign`, signature)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await typesOf(made, documentId)).filter((type) => type === "DocumentSigned")).toHaveLength(1);
  });

  test("another document than the one that was shown is a 409, and stores nothing", async () => {
    const own = await world();
    const { documentId, links } = await asked(own);
    const { put } = own.dependencies.files;
    own.dependencies.files.put = () => Promise.reject(new Error("stored"));
    const { status, body } = await post(own, `${links[0]}/sign`, { ...signature, document_sha256: "ab".repeat(32) });
    own.dependencies.files.put = put;
    expect([status, body]).toEqual([
      409,
      { error: "The document is not the one that was shown", code: "document_changed" },
    ]);
    expect(await typesOf(own, documentId)).not.toContain("DocumentSigned");
  });

  test("after a rejection is a 409, for every signer", async () => {
    const { links } = await asked(made, both);
    await post(made, `${links[0]}/reject`, { reason: "no" });
    for (const link of links) {
      const { status, body } = await post(made, `${link}/sign`, signature);
      expect([status, body]).toEqual([409, ENDED]);
    }
  });

  test("with photos missing is a 409", async () => {
    const { links } = await asked(made, { request_photos: true });
    expect((await made.get(String(links[0]))).body).toMatchObject({ request_photos: true, can_sign: false });
    const { status, body } = await post(made, `${links[0]}/sign`, signature);
    expect([status, body]).toEqual([409, { error: "Photos are missing", code: "photos_missing" }]);
  });

  test.each([null, undefined, "Europe/Berlin", "UTC", "-03:00"])("takes the time zone %s", async (time_zone) => {
    const { links, documentId } = await asked(made);
    expect((await post(made, `${links[0]}/sign`, { ...signature, time_zone })).status).toBe(200);
    expect(await made.document(documentId)).toMatchObject({
      signers: [{ signature: { timeZone: time_zone ?? null } }],
    });
  });

  const png = (bytes: Buffer) => `data:image/png;base64,${bytes.toString("base64")}`;
  const NO_DRAWING = "must be a PNG or JPEG with a drawing on it";
  test.each<[string, Record<string, unknown>, string, string]>([
    ["no drawing", { garabato: undefined }, "garabato", "Invalid input: expected string, received undefined"],
    ["a drawing that is no picture", { garabato: png(Buffer.from("picture")) }, "garabato", NO_DRAWING],
    ["a drawing by its address", { garabato: "https://a.example/a.png" }, "garabato", NO_DRAWING],
    ["a drawing of more than 1 MiB", { garabato: png(Buffer.alloc(1_048_577)) }, "garabato", NO_DRAWING],
    ["another consent", { consent_version: "1999" }, "consent_version", "is no version of the consent"],
    [
      "an inherited name as consent",
      { consent_version: "toString" },
      "consent_version",
      "is no version of the consent",
    ],
    [
      "a hash in upper case",
      { document_sha256: "AB".repeat(32) },
      "document_sha256",
      "must be a SHA-256 in lower-case hex",
    ],
    ["a time zone that is none", { time_zone: "Mars/Olympus" }, "time_zone", "must be an IANA time zone"],
    ["an empty time zone", { time_zone: "" }, "time_zone", "must be an IANA time zone"],
  ])("is a 400 that names the fault: %s", async (_what, fields, path, message) => {
    const { documentId, links } = await asked(made);
    const { status, body } = await post(made, `${links[0]}/sign`, { ...signature, ...fields });
    expect([status, body]).toEqual([400, { error: "Bad Request", details: [{ path, message }] }]);
    expect(await typesOf(made, documentId)).not.toContain("DocumentSigned");
  });

  test("is a 400 with nothing drawn", async () => {
    const blank = await sharp({ create: { width: 100, height: 50, channels: 4, background: "#00000000" } })
      .png()
      .toBuffer();
    const { links } = await asked(made);
    const { status, body } = await post(made, `${links[0]}/sign`, { ...signature, garabato: png(blank) });
    expect([status, body.details]).toEqual([400, [{ path: "garabato", message: NO_DRAWING }]]);
  });

  test("is a 413 with a body that is too large", async () => {
    const { links } = await asked(made);
    const { status, body } = await post(made, `${links[0]}/sign`, { ...signature, garabato: "A".repeat(3_000_000) });
    expect([status, body]).toEqual([413, { error: "Request body is larger than 2097152 bytes" }]);
  });
});

describe("rejecting", () => {
  test("ends the document with the signer's reason", async () => {
    const { documentId, links } = await asked(made, both);
    const { status, body } = await post(made, `${links[1]}/reject`, { reason: "The amount is wrong.\nSorry" });
    expect([status, body]).toEqual([200, { rejected: true }]);
    const last = (await made.eventsOf(`document-${documentId}`)).at(-1);
    expect(last).toMatchObject({
      type: "Rejected",
      personal: { reason: "The amount is wrong.\nSorry", ip: "127.0.0.1" },
      metadata: { actor: "signer" },
    });
  });

  test.each(["\u200b\u3164", "No\u202e", " \n"])("wants a reason that can be read: %j", async (reason) => {
    const { links } = await asked(made);
    const { status, body } = await post(made, `${links[0]}/reject`, { reason });
    expect([status, body.details[0].path]).toEqual([400, "reason"]);
  });

  test("twice rejects once and answers the same", async () => {
    const { documentId, links } = await asked(made);
    await post(made, `${links[0]}/reject`, { reason: "no" });
    const { status, body } = await post(made, `${links[0]}/reject`, { reason: "still no" });
    expect([status, body]).toEqual([200, { rejected: true }]);
    expect((await typesOf(made, documentId)).filter((type) => type === "Rejected")).toHaveLength(1);
  });

  test("after signing is a 409, before and after the document's end", async () => {
    const { links } = await asked(made, both);
    await post(made, `${links[0]}/sign`, signature);
    const { status, body } = await post(made, `${links[0]}/reject`, { reason: "no" });
    expect([status, body]).toEqual([409, { error: "The document is signed already", code: "already_signed" }]);
    await post(made, `${links[1]}/sign`, signature);
    expect((await post(made, `${links[0]}/reject`, { reason: "no" })).body).toEqual(ENDED);
  });

  test("after another's rejection is a 409", async () => {
    const { links } = await asked(made, both);
    await post(made, `${links[0]}/reject`, { reason: "no" });
    const { status, body } = await post(made, `${links[1]}/reject`, { reason: "no" });
    expect([status, body]).toEqual([409, ENDED]);
  });

  test("needs no photos", async () => {
    const { links } = await asked(made, { request_photos: true });
    expect((await post(made, `${links[0]}/reject`, { reason: "no" })).status).toBe(200);
  });

  test.each([
    ["missing", {}],
    ["blank", { reason: " \n" }],
    ["no text", { reason: 7 }],
    ["longer than 1,000 characters", { reason: "n".repeat(1_001) }],
  ])("is a 400 when the reason is %s", async (_what, body) => {
    const { links, documentId } = await asked(made);
    const answer = await post(made, `${links[0]}/reject`, body);
    expect([answer.status, answer.body.error, answer.body.details[0].path]).toEqual([400, "Bad Request", "reason"]);
    expect(await typesOf(made, documentId)).not.toContain("Rejected");
  });
});

describe("opening the page", () => {
  test("is recorded with from where, while there is something to sign", async () => {
    const { documentId, links } = await asked(made);
    const { status, body } = await post(made, `${links[0]}/opened`, {});
    expect([status, body]).toEqual([200, { opened: true }]);
    expect((await made.eventsOf(`document-${documentId}`)).at(-1)).toMatchObject({
      type: "SigningPageOpened",
      personal: { ip: "127.0.0.1", userAgent: "lightMyRequest" },
    });
    await post(made, `${links[0]}/reject`, { reason: "no" });
    const before = await typesOf(made, documentId);
    expect((await post(made, `${links[0]}/opened`, {})).status).toBe(200);
    expect(await typesOf(made, documentId)).toEqual(before);
  });

  test("is not what a GET does: chat previews fetch links", async () => {
    const { documentId, links } = await asked(made);
    await made.get(String(links[0]));
    expect(await typesOf(made, documentId)).not.toContain("SigningPageOpened");
  });
});

describe("a token that is none", () => {
  const paths = ["", "/document", "/signed", "/opened", "/sign", "/reject"];
  const isRead = (path: string) => ["", "/document", "/signed"].includes(path);
  const bodies: Record<string, unknown> = { "/sign": signature, "/reject": { reason: "no" }, "/opened": {} };
  const call = (path: string, token: string) => {
    const url = `/api/signing/${token}${path}`;
    return isRead(path) ? made.get(url) : post(made, url, bodies[path]);
  };

  test.each(paths)(
    "is a 404 on %s: made up, too long, of another document, of a signer that there is not",
    async (path) => {
      const { documentId, links } = await asked(made);
      const token = String(links[0]).split("/").at(-1) ?? "";
      const { tokens } = made.dependencies;
      const wrong = [
        "x",
        "a".repeat(5_000),
        `${token}A`,
        tokens.make(sample.documentId, 0),
        tokens.make(documentId, 1),
      ];
      for (const one of wrong) {
        const { status, body } = await call(path, one);
        expect([status, body]).toEqual([404, UNKNOWN]);
      }
    },
  );

  test("is in no line of the log", async () => {
    const { links } = await asked(made);
    const token = String(links[0]).split("/").at(-1) ?? "";
    await call("", token);
    await call("/sign", `${token}A`);
    expect(made.log()).not.toContain(token);
  });

  test("of an erased document leads nowhere, and nobody signs or rejects there", async () => {
    const own = await world();
    const { documentId, links } = await asked(own);
    await own.erase(documentId);
    const gone = [410, '{"error":"The document has ended and was erased","code":"erased","business_name":"pro"}'];
    for (const path of ["", "/document", "/signed"]) {
      const { status, body } = await own.get(`${links[0]}${path}`);
      expect([status, JSON.stringify(body)]).toEqual(gone);
    }
    for (const path of ["/sign", "/reject", "/opened"]) {
      const { status, body } = await own.send("POST", `${links[0]}${path}`, {});
      expect([status, JSON.stringify(body)]).toEqual(gone);
    }
    expect((await own.eventsOf(streamName("document", documentId))).at(-1)?.type).toBe("DocumentErased");
  });

  test("a signer who was forgotten has no link any more", async () => {
    const own = await world();
    const { documentId, links } = await asked(own);
    await own.forget(documentId);
    const fresh = await own.get(String(links[0]));
    expect([fresh.status, fresh.body]).toEqual([404, UNKNOWN]);
  });
});

describe("a link that opens nothing", () => {
  /** How the beginning of an endless body is answered, and whether more of it was read than a stream reads ahead. */
  const endless = async (own: World, url: string, type: string) => {
    let reads = 0;
    const payload = new Readable({
      read() {
        reads += 1;
        this.push(" ");
      },
    });
    const { statusCode } = await own.app.inject({ method: "POST", url, headers: { "content-type": type }, payload });
    payload.destroy();
    return { status: statusCode, wasRead: reads > 10 };
  };

  test.each([
    ["photos/selfie", "image/jpeg"],
    ["sign", "application/json"],
    ["reject", "application/json"],
    ["opened", "application/json"],
  ])("is a 404 before the body of %s is read, unknown or forgotten", async (path, type) => {
    const own = await world();
    const { documentId, links } = await asked(own);
    const refused = { status: 404, wasRead: false };
    expect(await endless(own, `/api/signing/nobody/${path}`, type)).toEqual(refused);
    await own.forget(documentId);
    expect(await endless(own, `${links[0]}/${path}`, type)).toEqual(refused);
  });
});
