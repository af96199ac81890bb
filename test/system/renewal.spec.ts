import { idsFrom, systemClock, systemRandom } from "@rubrica/runtime";
import { eventually, samplePdf, sampleSigner } from "@rubrica/test-kit";
import { VirtualAuthority } from "@rubrica/test-kit/pdf/virtual-authority";
import { startWebServer } from "@rubrica/test-kit/pdf/web-server";
import { expect, test } from "vitest";
import { inspect } from "../support/inspection.ts";
import { serviceInProcess } from "../support/service.ts";
import { TravelClock } from "../support/travel-clock.ts";

const DAY_MS = 86_400_000;
/** How long the first certificate for timestamps lasts: a renewal is due after two thirds of it. */
const SHORT_MS = 30 * DAY_MS;

test("a timestamp is renewed before its certificate ends; the files before and after are both known", async () => {
  const web = await startWebServer();
  try {
    const clock = new TravelClock(systemClock.now());
    const authority = new VirtualAuthority("short", web, () => clock.now(), 30);
    const from = clock.now() - DAY_MS;
    authority.roll(0, { from, to: clock.now() + SHORT_MS });
    const environment = { TSA_URL: authority.url, RENEW_TIMESTAMPS: "true" };
    const runtime = { clock, random: systemRandom, ids: idsFrom(clock, systemRandom) };
    await using service = await serviceInProcess({ environment, runtime });
    const { client, url } = service;
    const { id_seguimiento, urls } = await client.requestDocument(await samplePdf(), [sampleSigner(1)]);
    await client.sign(urls[0]?.link ?? "");
    const fileNow = async () => {
      const file = await client.read(`/api/v2/documents/${id_seguimiento}`);
      return file.status === 200 && new Uint8Array(file.bytes);
    };
    const sealed = await eventually("the sealed file", fileNow);
    authority.roll(1, { from, to: clock.now() + 365 * DAY_MS });
    clock.passes((2 / 3) * SHORT_MS + DAY_MS);
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
