import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  eventually,
  type RubricaClient,
  sampleDrawing,
  samplePdf,
  startServiceProcess,
  temporaryFolder,
  toolsMissing,
} from "@rubrica/test-kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { joinArena, nextSigner } from "./support/arena.ts";
import { type PlainService, plainService } from "./support/plain-service.ts";
import { send } from "./support/requests.ts";

const arena = joinArena();
const LIE = "Alice, from her own office";
const SEEN = "203.0.113.7";

/** Signs with these words of where from, and gives the text of the report. */
const reportOf = async (url: string, client: RubricaClient, forwardedFor: string): Promise<string> => {
  const document = await client.requestDocument(await samplePdf(), [nextSigner()], { wpp: false });
  const path = `/api/signing/${new URL(document.urls[0]?.link ?? "").pathname.slice(3)}`;
  const overview = (await client.read(path)).json<{ document_sha256: string; consent: { version: string } }>();
  const { document_sha256, consent } = overview;
  const signature = { garabato: sampleDrawing, consent_version: consent.version, document_sha256 };
  const headers = { "content-type": "application/json", "x-forwarded-for": forwardedFor };
  const opened = await send(url, { path: `${path}/opened`, headers, body: "{}" });
  expect(opened.status).toBe(200);
  const signed = await send(url, { path: `${path}/sign`, headers, body: JSON.stringify(signature) });
  expect(signed.status).toBe(200);
  const report = await eventually("the report", async () => {
    const { status, bytes } = await client.read(`/api/v2/reporte/${document.id_seguimiento}`);
    return status === 200 && bytes;
  });
  using folder = temporaryFolder();
  const file = join(folder.path, "report.pdf");
  writeFileSync(file, report);
  return spawnSync("pdftotext", ["-layout", file, "-"], { encoding: "utf8" }).stdout;
};

describe.skipIf(toolsMissing("pdftotext"))("the address in the sealed report", () => {
  test("is the connection's where no proxy is named, whatever a signer writes", async () => {
    const text = await reportOf(arena.service.url, arena.client, `${LIE}, ${SEEN}`);
    expect(text).toContain("127.0.0.1");
    expect(text).not.toContain("Alice");
    expect(text).not.toContain(SEEN);
  });

  describe("behind one proxy", () => {
    let plain: PlainService;
    beforeAll(async () => {
      plain = await plainService({ TRUST_PROXY: "1" });
    });
    afterAll(() => plain[Symbol.asyncDispose]());

    test("is what the proxy saw, not what a signer wrote before it", async () => {
      const text = await reportOf(plain.service.url, plain.client, `${LIE}, 198.51.100.9, ${SEEN}`);
      expect(text).toContain(SEEN);
      expect(text).not.toContain("Alice");
      expect(text).not.toContain("198.51.100.9");
    });

    test.each([
      ["free text", LIE],
      ["9,000 characters", "1".repeat(9_000)],
      ["markup", "<b>203.0.113.99</b>"],
      ["an address with more behind it", "203.0.113.99.evil.test"],
      ["nothing", ""],
      ["commas", ",,,,"],
    ])("is never %s", async (_what, forwardedFor) => {
      const text = await reportOf(plain.service.url, plain.client, forwardedFor);
      expect(text).not.toContain("Alice");
      expect(text).not.toContain("11111");
      expect(text).not.toContain("203.0.113.99");
    });
  });
});

test("whoever believes all proxies is told to count them instead", async () => {
  using folder = temporaryFolder();
  const environment = { TRUST_PROXY: "true" };
  await expect(startServiceProcess({ dataDir: folder.path, environment })).rejects.toThrow(/TRUST_PROXY.*count/);
});
