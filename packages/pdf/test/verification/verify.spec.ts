import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { seededRandom } from "@rubrica/runtime/testing";
import { pdf, stampOf, textAt } from "@rubrica/test-kit/pdf/fixtures";
import { startTimestampServer, type TimestampServer } from "@rubrica/test-kit/pdf/timestamp-server";
import { corpusFolder, has, verifyNow as verify } from "@rubrica/test-kit/pdf/tools";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  certificatesInPem,
  createPdfEngine,
  loadOrCreateSigningIdentity,
  type PdfEngine,
  type SigningIdentity,
  type Timestamps,
} from "../../src/index.ts";

const folder = mkdtempSync(join(tmpdir(), "rubrica-verify-"));
const sealedAt = Date.UTC(2026, 10, 21, 12, 0, 0);
let engine: PdfEngine;
let identity: SigningIdentity;
let roots: Uint8Array[];

beforeAll(async () => {
  engine = createPdfEngine({ clock: systemClock, processes: 1 });
  identity = await loadOrCreateSigningIdentity(folder, "http://localhost:3000", systemClock, systemRandom);
  roots = [...identity.issuers];
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

const document = () => pdf({ pages: [{ content: textAt(50, 700, "I owe you nothing") }] });
const sealed = async (bytes = document(), signers = 1, timestamps?: Timestamps) => {
  const stamps = Array.from({ length: signers }, (_, index) =>
    stampOf({ name: `Signer ${index}`, placement: { pages: 1, x: 20 + 180 * index, y: 600 } }),
  );
  const named = { kind: "document", id: "019aa5c0-0000-7000-8000-0000000000d1" } as const;
  const sealing = { identity, sealedAt, named, ...(timestamps === undefined ? {} : { timestamps }) };
  return (await engine.stampAndSeal(bytes, stamps, sealing)).bytes;
};

/** Flips bits and tells which of them the verifier did not notice. */
const unnoticed = (bytes: Uint8Array, bits: Iterable<number>, timestampRoots: Uint8Array[] = []): number[] => {
  const missed: number[] = [];
  for (const bit of bits) {
    const at = bit >> 3;
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
    if (verify(bytes, roots, timestampRoots).untouched) missed.push(bit);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
  }
  return missed;
};

function* randomBits(bytes: Uint8Array, count: number, from = 0, to = bytes.length): Generator<number> {
  const random = seededRandom(7);
  for (let index = 0; index < count; index += 1) yield Math.floor((from + random.fraction() * (to - from)) * 8);
}

describe("a file that this service sealed", () => {
  test("is found untouched, by whom it was sealed, and when", async () => {
    const found = await engine.verify(await sealed(), roots);
    expect(found).toMatchObject({ readable: true, untouched: true });
    expect(found.signatures).toMatchObject([
      {
        kind: "signature",
        intact: true,
        trusted: true,
        canonical: true,
        claimedAt: sealedAt,
        timestampedAt: null,
        changesAfter: "none",
        certificate: { sha256: identity.certificateSha256 },
      },
    ]);
  });

  test("is another's to one who trusts another authority", async () => {
    const found = await engine.verify(await sealed(), []);
    expect(found).toMatchObject({ untouched: false, signatures: [{ intact: true, trusted: false }] });
  });

  test("of several signers on a document that was signed before is untouched", async () => {
    const twice = await sealed(await sealed(), 3);
    const found = await engine.verify(twice, roots);
    expect(found.untouched).toBe(true);
    expect(found.signatures.map(({ changesAfter }) => changesAfter)).toEqual(["signing", "signing", "signing", "none"]);
  });

  test("any one of 1,000 random bits that is flipped is found, and all were back at the end", async () => {
    const bytes = await sealed();
    expect(unnoticed(bytes, randomBits(bytes, 1_000))).toEqual([]);
    expect(verify(bytes, roots).untouched).toBe(true);
  });

  test("no bit of the seal's own contents is free", async () => {
    const bytes = await sealed();
    const from = Buffer.from(bytes).indexOf("/ByteRange");
    const to = Buffer.from(bytes).indexOf(">", Buffer.from(bytes).indexOf("/Contents<")) + 2;
    expect(unnoticed(bytes, randomBits(bytes, 4_000, from, to))).toEqual([]);
  });
});

describe("what was done to a file afterwards", () => {
  test.each([
    ["D:20261121090000-03'00'", sealedAt],
    ["D:20261121120000       ", sealedAt],
    ["D:20261321120000+00'00'", null],
    ["D:20260230120000+00'00'", null],
    ["D:20261121120060+00'00'", null],
  ])("a time that it claims is read as one of the calendar, in UTC where it names no zone: %s", async (claimed, at) => {
    const bytes = Buffer.from(await sealed());
    const start = bytes.indexOf("/M(D:") + 3;
    bytes.write(claimed, start, "latin1");
    expect(verify(bytes, roots).signatures[0]?.claimedAt).toBe(at);
  });

  test("a byte after its end is found", async () => {
    const found = verify(Buffer.concat([await sealed(), Buffer.from("\n")]), roots);
    expect(found).toMatchObject({ untouched: false, signatures: [{ intact: true }] });
  });

  test("upper-case hex, other padding, and white space in the contents are found", async () => {
    const bytes = Buffer.from(await sealed());
    const start = bytes.indexOf("/Contents<") + 10;
    const end = bytes.indexOf(">", start);
    const contents = bytes.toString("latin1", start, end);
    for (const changed of [contents.toUpperCase(), contents.replace(/0$/, "1"), contents.replace(/0$/, " ")]) {
      expect(changed).not.toBe(contents);
      const copy = Buffer.from(bytes);
      copy.write(changed, start, "latin1");
      expect(verify(copy, roots).untouched).toBe(false);
    }
  });

  test("a page's content that was changed by an update is told from signing", async () => {
    const original = Buffer.from(await sealed());
    const number = 5;
    const content = textAt(50, 700, "I owe you everything");
    const offset = original.length;
    const previous = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(original.toString("latin1"))?.[1];
    const size = /\/Size (\d+)(?!.*\/Size)/s.exec(original.toString("latin1"))?.[1];
    const object = `${number} 0 obj\n<</Length ${content.length}>>\nstream\n${content}\nendstream\nendobj\n`;
    const table = `xref\n${number} 1\n${String(offset).padStart(10, "0")} 00000 n \ntrailer\n<</Size ${size}/Root 1 0 R/Prev ${previous}>>\nstartxref\n${offset + object.length}\n%%EOF\n`;
    const attacked = Buffer.concat([original, Buffer.from(object + table)]);
    expect(verify(attacked, roots)).toMatchObject({
      readable: true,
      untouched: false,
      signatures: [{ intact: true, changesAfter: "other" }],
    });
    // Sealed anew by the service, the earlier seal still tells.
    expect(verify(await sealed(attacked), roots).untouched).toBe(false);
  });

  test("what is no PDF, or has no signature, is not untouched", () => {
    expect(verify(Buffer.from("hello"), roots)).toEqual({
      readable: false,
      untouched: false,
      afterSeal: null,
      signatures: [],
    });
    expect(verify(document(), roots)).toMatchObject({ readable: true, untouched: false, signatures: [] });
  });
});

/** Each time three signatures are verified; `npm run test:long` asks for more. */
const FLIPPED = Number(process.env.RUBRICA_FLIPPED_BITS ?? 250);

describe.skipIf(!has("openssl"))("a file with timestamps", () => {
  let server: TimestampServer;
  let tsaFolder: string;
  beforeAll(async () => {
    tsaFolder = mkdtempSync(join(tmpdir(), "rubrica-verify-tsa-"));
    server = await startTimestampServer(tsaFolder);
  });
  afterAll(async () => {
    await server.close();
    rmSync(tsaFolder, { recursive: true });
  });

  test.each(["B-T", "B-LT", "B-LTA"] as const)("at %s has no free bit", async (level) => {
    const bytes = await sealed(document(), 1, { urls: [server.url], level });
    const timestampRoots = certificatesInPem(readFileSync(server.rootPath, "utf8"));
    const found = verify(bytes, roots, timestampRoots);
    expect(found.untouched).toBe(true);
    expect(found.signatures[0]?.timestampedAt).toBeGreaterThan(sealedAt);
    expect(unnoticed(bytes, randomBits(bytes, FLIPPED), timestampRoots)).toEqual([]);
    const contents = Buffer.from(bytes).lastIndexOf("/Contents<");
    expect(unnoticed(bytes, randomBits(bytes, FLIPPED, contents), timestampRoots)).toEqual([]);
  });
});

const corpus = corpusFolder();
test.skipIf(corpus === null)("others' signatures are told to be intact or not", () => {
  const found = (file: string) => verify(readFileSync(join(corpus ?? "", file)), roots);
  expect(found("dss/pdf-signed-original.pdf")).toMatchObject({
    untouched: false,
    signatures: [{ intact: true, trusted: false, changesAfter: "none" }],
  });
  expect(found("dss/pades-signed-annot-added.pdf").signatures.at(0)).toMatchObject({
    intact: true,
    changesAfter: "other",
  });
});
