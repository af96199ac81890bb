import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HelpersBusy } from "@rubrica/helpers";
import { BUSY_TEXT } from "@rubrica/http";
import { outputOf, temporaryFolder, toolsMissing } from "@rubrica/test-kit";
import { beforeAll, describe, expect, test } from "vitest";
import { ask, faults, pdf, pdfOf, requestOf } from "./requests.ts";
import { type World, world } from "./world.ts";

let made: World;
beforeAll(async () => {
  made = await world();
});

const NOT_BASE64 = "must be Base64";
const whole = Buffer.from(pdf());

describe("the document", () => {
  test.each([
    ["plain", pdfOf()],
    ["with a data: prefix", `data:application/pdf;base64,${pdfOf()}`],
    ["in lines of 76 characters", pdfOf().replace(/.{76}/g, "$&\r\n")],
    ["in lines, behind a data: prefix", `data:application/pdf;base64,\n${pdfOf().replace(/.{64}/g, "$&\n")}\n`],
    ["with a data: prefix of another type", `data:application/octet-stream;name=a.pdf;base64,${pdfOf()}`],
  ])("is taken as strict Base64, %s", async (_what, document) => {
    const { status, body } = await ask(made, requestOf({ document }));
    expect(status).toBe(200);
    const state = await made.document(body.id_seguimiento);
    const sha256 = "file" in state ? (state.file?.sha256 ?? "") : "";
    const file = await made.dependencies.files.get(body.id_seguimiento, sha256);
    expect(file.equals(whole)).toBe(true);
  });

  test("is taken with slashes that JSON has escaped, as PHP writes them", async () => {
    const request = JSON.stringify(requestOf({ document: pdfOf().replace(/.{64}/g, "$&\r\n") }));
    expect((await ask(made, request.replaceAll("/", "\\/"))).status).toBe(200);
  });

  test.each([
    ["nothing", ""],
    ["a prefix alone", "data:application/pdf;base64,"],
    ["line breaks that are written out", pdfOf().replace(/^(.{76})/, "$1\\n")],
    ["line breaks alone", "\r\n\n"],
    ["tabs", pdfOf().replace(/^(.{76})/, "$1\t")],
    ["no padding", `${Buffer.from("%PDF-1.7 ab").toString("base64").replace(/=+$/, "")}`],
    ["padding inside", `AAA=${pdfOf()}`],
    ["the alphabet of URLs", "-_-_"],
    ["spaces around", ` ${pdfOf()}`],
    ["a prefix that says text", `data:,${pdfOf()}`],
    ["a URL, which only the legacy version takes", "https://example.com/lease.pdf"],
  ])("is no Base64: %s", async (_what, document) => {
    const { status, body } = await ask(made, requestOf({ document }));
    expect([status, body]).toEqual([400, faults(["document", NOT_BASE64])]);
  });

  test.each([
    ["no PDF", Buffer.from("Dear Sirs"), "The document is not a PDF."],
    ["half a PDF", whole.subarray(0, whole.length / 2), "The document is a broken PDF: it can't be read in full."],
    ["a PDF without pages", pdf({ pages: [] }), "The document is a broken PDF: it can't be read in full."],
    [
      "a PDF bomb",
      pdf({ catalog: `/Deep ${"[".repeat(200_000)}${"]".repeat(200_000)}` }),
      "The document is too complex: reading it takes more time or memory than a document may take.",
    ],
  ])("is refused, with the reason: %s", async (_what, bytes, message) => {
    const { status, body } = await ask(made, requestOf({ document: Buffer.from(bytes).toString("base64") }));
    expect([status, body]).toEqual([400, faults(["document", message])]);
  });

  test.skipIf(toolsMissing("qpdf"))("is refused, with the reason: a PDF with a password", async () => {
    using folder = temporaryFolder();
    const [plain, locked] = [join(folder.path, "plain.pdf"), join(folder.path, "locked.pdf")];
    writeFileSync(plain, whole);
    outputOf("qpdf", "--encrypt", "user", "owner", "256", "--", plain, locked);
    const { status, body } = await ask(made, requestOf({ document: readFileSync(locked).toString("base64") }));
    const message = "The document is encrypted: it can't be opened without a password or a key.";
    expect([status, body]).toEqual([400, faults(["document", message])]);
  });

  test("that can't be looked at now is a 503, and nothing is stored", async () => {
    const busy = { ...made.dependencies.pdf, admitAndPlace: () => Promise.reject(new HelpersBusy("busy")) };
    const { status, body } = await ask(await world({ pdf: busy }), requestOf());
    expect([status, body]).toEqual([503, { error: BUSY_TEXT }]);
  });
});
