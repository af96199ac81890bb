import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  createPdfEngine,
  loadOrCreateSigningIdentity,
  type PdfEngine,
  type SigningIdentity,
  TimestampFailed,
} from "../src/index.ts";
import { readTimestamp, requestTimestamp } from "../src/sealing/timestamp.ts";
import { pdf, stampOf } from "./fixtures.ts";
import { startTimestampServer, type TimestampServer } from "./timestamp-server.ts";
import { has, hasPyHanko, output, pyHankoVerdicts, temporaryFile } from "./tools.ts";

const tools = has("openssl") && has("pdfsig");
const pyHanko = hasPyHanko();

describe.skipIf(!tools)("with a timestamp server", () => {
  let engine: PdfEngine;
  let server: TimestampServer;
  let identity: SigningIdentity;
  let roots: string[];
  const folder = mkdtempSync(join(tmpdir(), "rubrica-tsa-"));

  beforeAll(async () => {
    engine = createPdfEngine({ clock: systemClock, workers: 1 });
    server = await startTimestampServer(folder);
    identity = await loadOrCreateSigningIdentity(folder, "http://localhost:3000", systemClock, systemRandom);
    roots = [server.rootPath, join(folder, "pki", "authority", "certificate.pem")];
  });
  beforeEach(() => {
    server.requests = 0;
    server.publishes = true;
  });
  afterAll(async () => {
    await engine.close();
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const sealed = (level: "B-T" | "B-LT" | "B-LTA") =>
    engine.stampAndSeal(pdf(), [stampOf()], {
      identity,
      sealedAt: systemClock.now(),
      timestamps: { url: server.url, level },
    });

  test.each(["B-T", "B-LT", "B-LTA"] as const)("a seal reaches %s and is valid", async (level) => {
    const result = await sealed(level);
    expect(result).toMatchObject({ level, shortfall: null });
    const report = output("pdfsig", temporaryFile(result.bytes));
    // pdfsig knows no document timestamps; pyHanko, below, does.
    expect(report.match(/Signature is Valid/g)).toHaveLength(1);
    if (level !== "B-LT") expect(report).toContain("Total document signed");
    expect(output("qpdf", "--check", temporaryFile(result.bytes))).toContain("No syntax");
  });

  test.skipIf(!pyHanko).each(["B-LT", "B-LTA"] as const)(
    "a strict validator concludes on %s with what is in the file and the roots alone",
    async (level) => {
      const { bytes } = await sealed(level);
      const [verdict] = pyHankoVerdicts(bytes, "lta", roots);
      expect(verdict).toMatchObject({ bottomLine: true, timestamped: true, modifications: "LTA_UPDATES" });
      if (level === "B-LTA") expect(verdict?.ades).toBe("AdESPassed.OK");
      expect(pyHankoVerdicts(bytes, "lta", roots.slice(0, 1))).toMatchObject([{ bottomLine: false }]);
    },
  );

  test("a server that fails at first is asked again", async () => {
    server.answerNext({ status: 500, body: Buffer.from("busy") });
    expect((await sealed("B-T")).level).toBe("B-T");
    expect(server.requests).toBe(2);
  });

  test("a server that fails for good, or answers nonsense, gives no seal at all", async () => {
    const nonsense = [
      { status: 500, body: Buffer.from("busy") },
      { status: 200, body: Buffer.from("not a timestamp") },
      { status: 200, body: Buffer.from("30053003020102", "hex") },
    ];
    server.answerNext(...nonsense);
    await expect(sealed("B-LTA")).rejects.toBeInstanceOf(TimestampFailed);
    expect(server.requests).toBe(nonsense.length);
  });

  test("a timestamp over something else is not taken", async () => {
    const other = await fetchReply(server.url);
    server.requests = 0;
    server.answerNext(...[1, 2, 3].map(() => ({ status: 200, body: other })));
    await expect(sealed("B-T")).rejects.toBeInstanceOf(TimestampFailed);
  });

  test("a token is read for what it was made over, and for nothing else", async () => {
    const digest = createHash("sha256").update("this").digest();
    const token = await requestTimestamp(server.url, digest, systemClock, systemRandom);
    expect(Math.abs(readTimestamp(token, digest).at - systemClock.now())).toBeLessThan(60_000);
    const other = createHash("sha256").update("that").digest();
    expect(() => readTimestamp(token, other)).toThrow("over something else");
  });

  test("without revocation data the level stays B-T, and says why", async () => {
    server.publishes = false;
    const result = await sealed("B-LTA");
    expect(result.level).toBe("B-T");
    expect(result.shortfall).toContain("no revocation data for CN=Test TSA (CRL: 127.0.0.1:");
    expect(output("pdfsig", temporaryFile(result.bytes))).toContain("Signature is Valid");
  });
});

/** A valid reply of the server to a request of somebody else's. */
async function fetchReply(url: string): Promise<Buffer> {
  const query = `30390201013031300d060960864801650304020105000420${"00".repeat(32)}0101ff`;
  const response = await fetch(url, { method: "POST", body: Buffer.from(query, "hex") });
  return Buffer.from(await response.arrayBuffer());
}
