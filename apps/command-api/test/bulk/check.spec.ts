import { ConversionFailed, type ConversionFailure, type DocxConverter } from "@rubrica/docx";
import { BUSY_TEXT } from "@rubrica/http";
import { FileFetchRefused } from "@rubrica/outbound";
import { docxParts, paragraph, zipOf } from "@rubrica/test-kit/docx";
import { describe, expect, test } from "vitest";
import { pdf } from "../requests.ts";
import { accounts } from "../world.ts";
import { ana, base64, bulkWorld, callOf, fakeConverter, leo, refusalOf, send, template, without } from "./calls.ts";

const made = await bulkWorld();

const TYPE = 'document_type debe ser "docx"';
const DOCUMENT = "campo document es requerido";
const ROWS = "campo df debe ser un array no vacío";
const SIGNER = "campo firmante es requerido y debe ser un objeto";
const ROW = "cada elemento de df debe contener al menos nombre y apellido, dni y whatsapp";
const NUMBERS = "firmante debe contener position_x, position_y y page como números";
const PHONE_FAULT = "must be a phone number in international format, 8 to 15 digits";
const NOT_TEXT = "Invalid input: expected string, received";

const firmante = { page: 1, position_x: 60, position_y: 600 };

describe("a call without", () => {
  test.each([
    ["its document_type", without(callOf(), "document_type"), TYPE],
    ["docx as document_type", callOf({ document_type: "pdf" }), TYPE],
    ["docx in small letters", callOf({ document_type: "DOCX" }), TYPE],
    ["a document", without(callOf(), "document"), DOCUMENT],
    ["a document that is text", callOf({ document: 7 }), DOCUMENT],
    ["anything in its document", callOf({ document: "" }), DOCUMENT],
    ["a document but null", callOf({ document: null }), DOCUMENT],
    ["df", without(callOf(), "df"), ROWS],
    ["an element in df", callOf({ df: [] }), ROWS],
    ["an array as df", callOf({ df: { 0: ana } }), ROWS],
    ["firmante", without(callOf(), "firmante"), SIGNER],
    ["an object as firmante", callOf({ firmante: [1, 60, 600] }), SIGNER],
    ["anything in firmante", callOf({ firmante: null }), SIGNER],
    ["a page", callOf({ firmante: without(firmante, "page") }), NUMBERS],
    ["a position_x", callOf({ firmante: without(firmante, "position_x") }), NUMBERS],
    ["a position_y", callOf({ firmante: without(firmante, "position_y") }), NUMBERS],
    ["a number as page", callOf({ firmante: { ...firmante, page: "1" } }), NUMBERS],
    ["a number as position_x", callOf({ firmante: { ...firmante, position_x: null } }), NUMBERS],
    ["anything", {}, TYPE],
    ["an object", [], TYPE],
  ])("%s is refused with the specified text", async (_what, body, error) => {
    expect(await refusalOf(made, body)).toEqual([400, { error }]);
  });

  test.each([
    ["a name", without(ana, "nombre y apellido"), "nombre y apellido", `${NOT_TEXT} undefined`],
    ["anything in the name", { ...ana, "nombre y apellido": "  " }, "nombre y apellido", "must not be empty"],
    [
      "visible character in the name",
      { ...ana, "nombre y apellido": "\u2800\u00ad" },
      "nombre y apellido",
      "must hold something that can be seen",
    ],
    [
      "order in the name",
      { ...ana, "nombre y apellido": "Ana\u2067" },
      "nombre y apellido",
      "must not hold characters that turn the direction of text",
    ],
    ["a dni", without(ana, "dni"), "dni", `${NOT_TEXT} undefined`],
    ["a dni that is text", { ...ana, dni: 30123456 }, "dni", `${NOT_TEXT} number`],
    ["anything in the dni", { ...ana, dni: " . " }, "dni", "is required"],
    ["a phone", without(ana, "msg"), "msg", `${NOT_TEXT} undefined`],
    ["anything in the phone", { ...ana, msg: "" }, "msg", PHONE_FAULT],
  ])("an element's %s is refused with the specified text, and told which", async (_what, row, key, message) => {
    const details = [{ path: `df[1].${key}`, message }];
    expect(await refusalOf(made, callOf({ df: [leo, row] }))).toEqual([400, { error: ROW, details }]);
  });

  test("an object as element is refused with the specified text", async () => {
    const details = [{ path: "df[0]", message: "Invalid input: expected object, received string" }];
    expect(await refusalOf(made, callOf({ df: ["Ana Paz"] }))).toEqual([400, { error: ROW, details }]);
  });
});

describe("what a signer's fields may hold", () => {
  test.each([
    ["a name of more than 50 characters", { "nombre y apellido": "ñ".repeat(51) }, "must have at most 50 characters"],
    ["a phone with letters", { msg: "54911ABCDEFGH" }, PHONE_FAULT],
    ["a phone that is too short", { msg: "1234567" }, PHONE_FAULT],
    ["a dni with other signs", { dni: "30/123" }, "may only hold letters, digits, dots and hyphens"],
  ])("not %s", async (_what, fields, message) => {
    const [key] = Object.keys(fields);
    const details = [{ path: `df[0].${key}`, message }];
    expect(await refusalOf(made, callOf({ df: [{ ...ana, ...fields }] }))).toEqual([400, { error: ROW, details }]);
  });

  test.each([
    ["id", { id: true }, "df[0].id must be a text of at most 256 characters, or a number"],
    ["id", { id: "x".repeat(257) }, "df[0].id must be a text of at most 256 characters, or a number"],
    ["id", { id: 2 ** 53 }, "df[0].id must be a text of at most 256 characters, or a number"],
    ["cuotas", { cuotas: ["$ 1", "$ 2"] }, "df[0].cuotas must be a text, a number, a boolean or null"],
    ["cuotas", { cuotas: { a: 1 } }, "df[0].cuotas must be a text, a number, a boolean or null"],
  ])("not in %s: %j", async (key, fields, error) => {
    const details = [{ path: `df[0].${key}`, message: error.replace(/^\S+ /, "") }];
    expect(await refusalOf(made, callOf({ df: [{ ...ana, ...fields }] }))).toEqual([400, { error, details }]);
  });
});

describe("a repeated", () => {
  test.each([
    ["dni", { dni: "30.123.456" }, "DNI 30.123.456 duplicado"],
    ["dni, written otherwise", { dni: "30-123 456" }, "DNI 30-123 456 duplicado"],
    ["dni, in small letters", { dni: "e12345" }, "DNI e12345 duplicado"],
    ["phone", { msg: "5491122334455" }, "Teléfono 5491122334455 duplicado"],
    ["phone, written otherwise", { msg: "+54 9 (11) 2233-4455" }, "Teléfono +54 9 (11) 2233-4455 duplicado"],
  ])("%s is named as it was given", async (_what, fields, error) => {
    const other = { "nombre y apellido": "Eva Sol", dni: "1", msg: "4915112345678", ...fields };
    expect(await refusalOf(made, callOf({ df: [ana, leo, other] }))).toEqual([400, { error }]);
  });

  test("name of characters that can't be printed is refused, and which", async () => {
    const row = { ...ana, "nombre y apellido": "Ana ꦗ" };
    const message = "has characters that can't be printed: ꦗ (U+A997)";
    expect(await refusalOf(made, callOf({ df: [leo, row] }))).toEqual([
      400,
      { error: `df[1].nombre y apellido ${message}`, details: [{ path: "df[1].nombre y apellido", message }] },
    ]);
  });

  test("id is none of anybody's business", async () => {
    const { status } = await send(await bulkWorld(), callOf({ df: [ana, { ...leo, id: ana.id }] }));
    expect(status).toBe(200);
  });
});

test("of several faults the first is told, in the specification's order", async () => {
  const body: Record<string, unknown> = { document_type: "pdf", df: [], webhook_url: "ftp://x" };
  const told = async (fixed: Record<string, unknown>) => {
    Object.assign(body, fixed);
    const [, { error }] = (await refusalOf(made, body)) as [number, { error: string }];
    return error;
  };
  expect(await told({})).toBe(TYPE);
  expect(await told({ document_type: "docx" })).toBe(DOCUMENT);
  expect(await told({ document: "no Base64" })).toBe(ROWS);
  expect(await told({ df: [ana, { ...ana, "nombre y apellido": "" }] })).toBe(SIGNER);
  expect(await told({ firmante: { page: "0", position_x: 5000, position_y: 1 } })).toBe(ROW);
  expect(await told({ df: [ana, ana] })).toBe("DNI 30.123.456 duplicado");
  expect(await told({ df: [ana, { ...ana, dni: "1" }] })).toBe("Teléfono 5491122334455 duplicado");
  const df = Array.from({ length: 11 }, (_, index) => ({ ...ana, dni: `${index}`, msg: `549112233445${index}` }));
  expect(await told({ df })).toBe(NUMBERS);
  expect(await told({ firmante: { page: 0, position_x: 5000, position_y: 1 } })).toMatch(/^webhook_url /);
  expect(await told({ webhook_url: "https://hooks.example" })).toBe("document must be Base64 or an http or https URL");
  expect(await told({ document: base64(template) })).toBe("No te quedan firmas disponibles.");
  expect(await told({ df: df.slice(0, 2) })).toMatch(/^firmante\.position_x must be from 0 to /);
});

describe("a template", () => {
  const withDoctype = {
    ...docxParts(paragraph("x")),
    "word/document.xml": '<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><x/>',
  };
  test.each([
    ["that is no Base64", "%%%", "must be Base64 or an http or https URL"],
    ["that is no DOCX", base64(pdf()), "can't be used: the file is no DOCX"],
    [
      "that is cut off",
      base64(template.subarray(0, 200)),
      "can't be used: the file is damaged: it is no readable ZIP archive",
    ],
    [
      "with external entities",
      base64(zipOf(withDoctype)),
      "can't be used: the file declares a document type or entities, which no DOCX does",
    ],
  ])("%s is refused, and why", async (_what, document, message) => {
    const details = [{ path: "document", message }];
    expect(await refusalOf(made, callOf({ document }))).toEqual([400, { error: `document ${message}`, details }]);
  });

  test("that inflates to more than a DOCX may hold is refused", async () => {
    const bomb = { ...docxParts(paragraph("x")), "word/media/image1.bin": Buffer.alloc(101 * 1024 * 1024) };
    const [status, body] = await refusalOf(made, callOf({ document: base64(zipOf(bomb)) }));
    expect([status, (body as { error: string }).error]).toEqual([
      400,
      "document can't be used: the file inflates to more than 100 MB",
    ]);
  });

  test.each(["unreadable", "too_large", "hung", "empty"] satisfies ConversionFailure[])(
    "that can't be converted (%s) is refused",
    async (reason) => {
      const converter: DocxConverter = {
        ...fakeConverter().converter,
        convert: () => Promise.reject(new ConversionFailed(reason)),
      };
      const error = "document can't be used: it can't be converted to PDF";
      const [status, body] = await refusalOf(await bulkWorld({ converter }), callOf());
      expect([status, body]).toMatchObject([400, { error }]);
    },
  );

  test("whose office program dies may be sent again: nothing says that it is the template's fault", async () => {
    const converter: DocxConverter = {
      ...fakeConverter().converter,
      convert: () => Promise.reject(new ConversionFailed("crashed")),
    };
    expect(await refusalOf(await bulkWorld({ converter }), callOf())).toEqual([503, { error: BUSY_TEXT }]);
  });

  test("behind an address that can't be fetched is refused, and why", async () => {
    const fetcher = {
      fetch: () => Promise.reject(new FileFetchRefused("status", "could not be fetched: the answer was 404, not 200")),
    };
    const [status, body] = await refusalOf(await bulkWorld({ fetcher }), callOf({ document: "https://example.com/x" }));
    expect([status, body]).toMatchObject([
      400,
      { error: "document could not be fetched: the answer was 404, not 200" },
    ]);
  });
});

describe("a signature's place", () => {
  test.each([
    [{ page: 3 }, "firmante.page", "must be a page of the document, 1 to 2"],
    [{ page: -1 }, "firmante.page", "must be a whole number from 0"],
    [{ page: 1.5 }, "firmante.page", "must be a whole number from 0"],
    [{ position_x: -1 }, "firmante.position_x", "must be a whole number from 0"],
    [{ position_x: 428 }, "firmante.position_x", "must be from 0 to 427 for the signature to be on the page"],
    [{ position_y: 771 }, "firmante.position_y", "must be from 0 to 770 for the signature to be on the page"],
    [{ page: 0, position_y: 771 }, "firmante.position_y", "must be from 0 to 770 for the signature to be on the page"],
  ])("%j is refused", async (fields, path, message) => {
    const body = callOf({ firmante: { ...firmante, ...fields } });
    expect(await refusalOf(made, body)).toEqual([400, { error: `${path} ${message}`, details: [{ path, message }] }]);
  });

  test("must be on every page where all are meant", async () => {
    const converter = {
      ...fakeConverter().converter,
      convert: async () => pdf({ pages: [{}, { entries: "/MediaBox[0 0 300 300]" }] }),
    };
    const small = await bulkWorld({ converter });
    const at = (page: number) => callOf({ firmante: { page, position_x: 60, position_y: 600 } });
    const [status, body] = await refusalOf(small, at(0));
    const error = "firmante.position_y must be from 0 to 228 for the signature to be on the page";
    expect([status, body]).toMatchObject([400, { error }]);
    expect((await send(small, at(1))).status).toBe(200);
  });
});

describe("a call is refused", () => {
  test("401 without a key, 403 with a blocked one, before its body is looked at", async () => {
    expect(await refusalOf(made, "{", { key: null })).toEqual([401, { error: "Unauthorized" }]);
    const blocked = { error: "Tu API Key se encuentra bloqueada. Por favor contacta a soporte." };
    expect(await refusalOf(made, "{", { key: "blocked" })).toEqual([403, blocked]);
  });

  test("413 for what is too large, before the rest of it is looked at", async () => {
    const small = await bulkWorld({ limits: { documentBytes: 1_000, bulkRows: 2 } });
    const tooMany = { df: [ana, leo, {}] };
    expect(await refusalOf(small, tooMany)).toEqual([413, { error: "df has more than 2 elements" }]);
    const tooLarge = { document: base64(Buffer.alloc(1_200)) };
    expect(await refusalOf(small, tooLarge)).toEqual([413, { error: "The document is larger than 1000 bytes" }]);
    const wide = { df: [ana, { text: "x".repeat(131_072) }] };
    expect(await refusalOf(made, wide)).toEqual([413, { error: "df[1] is larger than 131072 bytes" }]);
    const body = Buffer.alloc(4_194_304 + 2_000, " ");
    const [status] = await refusalOf(small, body);
    expect(status).toBe(413);
  });

  test.each([
    ["broken JSON", "{", {}, "the body is not valid JSON"],
    [
      "another content type",
      "document_type=docx",
      { "content-type": "text/plain" },
      "Content-Type must be application/json",
    ],
  ])("400 for %s, in the endpoint's own shape", async (_what, body, headers, error) => {
    const details = [{ path: "", message: error }];
    expect(await refusalOf(made, body, { headers })).toEqual([400, { error, details }]);
  });

  test("503 where there is no office program, and why", async () => {
    const error = "DOCX can't be converted: no office program is installed here";
    expect(await refusalOf(await bulkWorld({ converter: undefined }), callOf())).toEqual([503, { error }]);
  });

  test("429 with fewer credits than signers, and nothing is spent", async () => {
    const own = await bulkWorld();
    const df = Array.from({ length: 11 }, (_, index) => ({ ...leo, dni: `${index}`, msg: `4915112345${100 + index}` }));
    expect(await refusalOf(own, callOf({ df }))).toEqual([429, { error: "No te quedan firmas disponibles." }]);
    expect(await own.dependencies.handlers.accounts.load(accounts.pro)).toMatchObject({ balance: 10 });
  });

  test("429 with too few credits before its template is fetched, read or converted", async () => {
    const { converter, converted } = fakeConverter();
    const fetched: string[] = [];
    const fetcher = {
      fetch: async (url: string) => {
        fetched.push(url);
        return template;
      },
    };
    const own = await bulkWorld({ converter, fetcher });
    const df = Array.from({ length: 11 }, (_, index) => ({ ...leo, dni: `${index}`, msg: `4915112345${100 + index}` }));
    const documents = ["https://example.com/x", base64(Buffer.from("no DOCX")), base64(template)];
    const statuses: number[] = [];
    for (const document of documents) statuses.push((await send(own, callOf({ df, document }))).status);
    expect([statuses, fetched, converted]).toEqual([[429, 429, 429], [], []]);
    expect((await send(own, callOf({ document: "https://example.com/x" }))).status).toBe(200);
    expect([fetched.length, converted.length]).toEqual([1, 1]);
  });
});

test("what is refused leaves nothing behind", async () => {
  const own = await bulkWorld();
  const written: string[] = [];
  // Whatever is kept of a call is kept under a key.
  own.dependencies.keys.obtain = async (owner) => {
    written.push(owner);
    throw new Error("the disk is full");
  };
  const df = Array.from({ length: 11 }, (_, index) => ({ ...leo, dni: `${index}`, msg: `4915112345${100 + index}` }));
  const refused = [callOf({ df }), callOf({ document: base64(template.subarray(9)) }), callOf({ df: [ana, ana] })];
  const statuses: number[] = [];
  for (const body of refused) statuses.push((await send(own, body)).status);
  expect([statuses, written]).toEqual([[429, 400, 400], []]);
  expect([(await send(own, callOf())).status, written.length]).toEqual([500, 1]);
});
