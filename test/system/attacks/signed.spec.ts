import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPdfEngine, loadOrCreateSigningIdentity } from "@rubrica/pdf";
import { systemRuntime } from "@rubrica/runtime";
import { eventually, outputOf, temporaryFolder, toolsMissing } from "@rubrica/test-kit";
import { describe, expect, test } from "vitest";
import { joinArena, nextSigner } from "./support/arena.ts";
import { pdfFile, structures } from "./support/pdfs.ts";

const MEGABYTE = 1_048_576;
/** What stamps, their fonts and a seal may add to a file, beside what is written anew of its own bytes. */
const MOST_ADDED_BYTES = 3 * MEGABYTE;
const MOST_TIMES = 4;

const arena = joinArena();

const pathOf = (link: string): string => `/api/signing/${new URL(link).pathname.slice(3)}`;

/** Why a file is refused; or what its signer sees and, once signed, what is sealed. */
const goThrough = async (pdf: Buffer): Promise<{ refused: string } | { id: string; seen: Buffer; sealed: Buffer }> => {
  const { client } = arena;
  const signer = nextSigner();
  // A helper that had too little of the processors for too long says nothing of the file: it is sent again.
  const answer = await eventually("a word on the file", async () => {
    const said = await client.postDocument(pdf, [signer], { wpp: false });
    return said.status !== 503 && said;
  });
  if (answer.status !== 200) {
    expect(answer.status, answer.text).toBe(400);
    return { refused: answer.text };
  }
  const { id_seguimiento: id, urls } = answer.json<{ id_seguimiento: string; urls: { link: string }[] }>();
  const link = urls[0]?.link ?? "";
  const { bytes: seen } = await client.read(`${pathOf(link)}/document`);
  const { document_sha256 } = (await client.read(pathOf(link))).json<{ document_sha256: string }>();
  expect(createHash("sha256").update(seen).digest("hex")).toBe(document_sha256);
  await client.sign(link);
  const sealed = await eventually("the sealed file", async () => {
    const { status, bytes } = await client.read(`/api/v2/documents/${id}`);
    return status === 200 && bytes;
  });
  return { id, seen, sealed };
};

/** A PDF with nothing hidden in streams, as `qpdf` writes it. */
const plainly = (pdf: Buffer): string => {
  using folder = temporaryFolder();
  const [from, to] = [join(folder.path, "in.pdf"), join(folder.path, "out.pdf")];
  writeFileSync(from, pdf);
  return spawnSync("sh", ["-c", 'qpdf --qdf --object-streams=disable "$0" "$1" >&2; cat "$1"', from, to], {
    encoding: "latin1",
    maxBuffer: 256 * MEGABYTE,
  }).stdout;
};

const SCRIPT = "/S/JavaScript/JS(app.alert\\(1\\))";
const PAGE = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<<>>/Contents 4 0 R";
const ANNOTATION = "/Type/Annot/Rect[0 0 99 99]";

/** Files that do something by themselves, and the words that do it. */
const active: Readonly<Record<string, { make: () => Buffer; words: readonly RegExp[] }>> = {
  "a script that runs when it is opened": {
    make: () => pdfFile({ catalog: `/OpenAction<<${SCRIPT}>>` }),
    words: [/\/S\s*\/JavaScript/],
  },
  "a script under an escaped name": {
    make: () => pdfFile({ catalog: "/OpenAction<</#53/Java#53cript/JS(app.alert\\(1\\))>>" }),
    words: [/\/S\s*\/Java(S|#53)cript/],
  },
  "scripts by name": {
    make: () => pdfFile({ catalog: `/Names<</JavaScript<</Names[(a)<<${SCRIPT}>>]>>>>` }),
    words: [/\/S\s*\/JavaScript/],
  },
  "a script as a stream": {
    make: () =>
      pdfFile({
        catalog: "/OpenAction<</S/JavaScript/JS 5 0 R>>",
        further: ["<</Length 12>>\nstream\napp.alert(1)\nendstream"],
      }),
    words: [/\/S\s*\/JavaScript/],
  },
  "a script when it is closed": {
    make: () => pdfFile({ catalog: `/AA<</WC<<${SCRIPT}>>>>` }),
    words: [/\/S\s*\/JavaScript/],
  },
  "a script when a page is turned": {
    make: () => pdfFile({ page: `${PAGE}/AA<</O<<${SCRIPT}>>>>>>` }),
    words: [/\/S\s*\/JavaScript/],
  },
  "a program that is started": {
    make: () => pdfFile({ catalog: "/OpenAction<</S/Launch/F(calc.exe)>>" }),
    words: [/\/S\s*\/Launch/],
  },
  "a program behind a button": {
    make: () => pdfFile({ page: `${PAGE}/Annots[<<${ANNOTATION}/Subtype/Link/A<</S/Launch/F(calc.exe)>>>>]>>` }),
    words: [/\/S\s*\/Launch/],
  },
  "a program after a harmless action": {
    make: () =>
      pdfFile({ catalog: "/OpenAction<</S/GoTo/D[3 0 R/Fit]/Next[<</S/GoTo/D[3 0 R/Fit]/Next<</S/Launch/F(a)>>>>]>>" }),
    words: [/\/S\s*\/Launch/],
  },
  "a form that is sent by itself": {
    make: () => pdfFile({ catalog: "/OpenAction<</S/SubmitForm/F<</FS/URL/F(https://a.test/)>>>>" }),
    words: [/\/S\s*\/SubmitForm/],
  },
  "a script of a field": {
    make: () =>
      pdfFile({
        catalog: "/AcroForm<</Fields[5 0 R]>>",
        page: `${PAGE}/Annots[5 0 R]>>`,
        further: [`<<${ANNOTATION}/Subtype/Widget/FT/Tx/T(a)/AA<</K<<${SCRIPT}>>>>>>`],
      }),
    words: [/\/S\s*\/JavaScript/],
  },
  "a script of an outline": {
    make: () =>
      pdfFile({
        catalog: "/Outlines 5 0 R",
        further: ["<</Type/Outlines/First 6 0 R/Last 6 0 R/Count 1>>", `<</Title(a)/Parent 5 0 R/A<<${SCRIPT}>>>>`],
      }),
    words: [/\/S\s*\/JavaScript/],
  },
};

describe.skipIf(toolsMissing("qpdf"))("what signers see, hash and sign does nothing by itself", () => {
  test.each(Object.entries(active))("%s", async (_what, { make, words }) => {
    const through = await goThrough(make());
    if ("refused" in through) return;
    for (const word of words) {
      expect(plainly(through.seen)).not.toMatch(word);
      expect(plainly(through.sealed)).not.toMatch(word);
    }
    // The seal is added to the file that was signed.
    expect(through.sealed.subarray(0, through.seen.length).equals(through.seen)).toBe(true);
  });
});

describe.skipIf(toolsMissing("qpdf", "pdftotext"))("a file that somebody signed before", () => {
  test("stays as it was signed, and the report names what it does", async () => {
    using folder = temporaryFolder();
    const runtime = systemRuntime();
    const { clock, random } = runtime;
    const engine = createPdfEngine({ clock });
    const identity = await loadOrCreateSigningIdentity(folder.path, "http://localhost", clock, random);
    const before = pdfFile({ catalog: `/OpenAction<<${SCRIPT}>>` });
    const { bytes } = await engine.seal(before, { identity, sealedAt: clock.now() });
    await engine.close();
    const through = await goThrough(Buffer.from(bytes));
    if ("refused" in through) expect.fail(through.refused);
    expect(through.seen.equals(bytes)).toBe(true);
    expect(plainly(through.sealed)).toMatch(/\/S\s*\/JavaScript/);
    const report = await eventually("the report", async () => {
      const answer = await arena.client.read(`/api/v2/reporte/${through.id}`);
      return answer.status === 200 && answer.bytes;
    });
    const file = join(folder.path, "report.pdf");
    writeFileSync(file, report);
    expect(outputOf("pdftotext", file, "-").text).toContain("JavaScript");
  });
});

describe("a file grows by its stamps and its seal alone", () => {
  test.each([
    ["restored states", 8_000_000],
    ["saved states", 2_000_000],
    ["one page, shown again and again", 500],
    ["pages that share one large content", 4_000],
    ["a page whose content is one stream again and again", 4_000],
    ["annotations", 4_000],
  ])("with %s (%i)", async (what, size) => {
    const [, make] = Object.entries(structures).find(([name]) => name.startsWith(what)) ?? [];
    const pdf = make?.(size) ?? Buffer.alloc(0);
    const through = await goThrough(pdf);
    if ("refused" in through) return;
    expect(through.sealed.length - pdf.length).toBeLessThan(MOST_ADDED_BYTES + MOST_TIMES * pdf.length);
  });
});
