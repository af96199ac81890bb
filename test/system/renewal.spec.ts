import { systemClock } from "@rubrica/runtime";
import { eventually, samplePdf, sampleSigner } from "@rubrica/test-kit";
import { VirtualAuthority } from "@rubrica/test-kit/pdf/virtual-authority";
import { startWebServer } from "@rubrica/test-kit/pdf/web-server";
import { expect, test } from "vitest";
import { inspect } from "../support/inspection.ts";
import { serviceInProcess } from "../support/service.ts";

const DAY_MS = 86_400_000;
/** How long the first certificate for timestamps lasts: a renewal is due after two thirds of it. */
const SHORT_MS = 15_000;

test("a timestamp is renewed before its certificate ends; the files before and after are both known", async () => {
  const web = await startWebServer();
  try {
    const authority = new VirtualAuthority("short", web, systemClock.now, 30);
    const from = systemClock.now() - DAY_MS;
    authority.roll(0, { from, to: systemClock.now() + SHORT_MS });
    const environment = { TSA_URL: authority.url, RENEW_TIMESTAMPS: "true" };
    await using service = await serviceInProcess({ environment });
    const { client, url } = service;
    const { id_seguimiento, urls } = await client.requestDocument(await samplePdf(), [sampleSigner(1)]);
    authority.roll(0, { from, to: systemClock.now() + SHORT_MS });
    await client.sign(urls[0]?.link ?? "");
    const fileNow = async () => {
      const file = await client.send("GET", `/api/v2/documents/${id_seguimiento}`);
      return file.status === 200 && new Uint8Array(file.bytes);
    };
    const sealed = await eventually("the sealed file", fileNow);
    authority.roll(1, { from, to: systemClock.now() + 365 * DAY_MS });
    await using inspection = await inspect(service.dataDir);
    await eventually("the renewal", async () =>
      (await inspection.events()).some(({ streamId, type }) => streamId === id_seguimiento && type === "SealAugmented"),
    );
    const renewed = await eventually("the renewed file", async () => {
      const bytes = await fileNow();
      return bytes && bytes.length > sealed.length && bytes;
    });
    expect(Buffer.from(renewed.subarray(0, sealed.length)).equals(sealed)).toBe(true);
    for (const [body, timestamps] of [
      [sealed, 1],
      [renewed, 2],
    ] as const) {
      const headers = { "content-type": "application/pdf" };
      const answer = await fetch(`${url}/api/verify`, { method: "POST", headers, body });
      const found = (await answer.json()) as { signatures: { kind: string }[] };
      expect(found).toMatchObject({
        verdict: "valid",
        document: { id_seguimiento, level: "B-LTA", chain_intact: true },
      });
      const kinds = found.signatures.map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === "document_timestamp")).toHaveLength(timestamps);
    }
  } finally {
    await web.close();
  }
});
