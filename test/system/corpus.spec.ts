import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { createPdfEngine, loadOrCreateSigningIdentity } from "@rubrica/pdf";
import { systemClock, systemRuntime } from "@rubrica/runtime";
import { eventually, type RubricaClient, sampleSigner } from "@rubrica/test-kit";
import { corpusFolder } from "@rubrica/test-kit/pdf/tools";
import { afterAll, describe, expect, test } from "vitest";
import { pdfsUnder } from "../../packages/pdf/corpus/run.ts";
import { serviceInProcess } from "../support/service.ts";

/** One file of so many goes its way through the service; `npm run test:long corpus` takes all of them. */
const ONE_OF = Number(process.env.RUBRICA_CORPUS_ONE_OF ?? 16);
const FILE_TIMEOUT_MS = 30_000;

const corpus = corpusFolder();
const chosen = corpus === null ? [] : (await pdfsUnder(corpus)).filter((_, index) => index % ONE_OF === 0);
const cleanup = new AsyncDisposableStack();
afterAll(() => cleanup.disposeAsync());

/** What the service says of a file, as soon as it says anything: it judges so many a minute for one address. */
const verdictOf = async ({ send }: RubricaClient, file: Uint8Array): Promise<string> => {
  for (;;) {
    const judged = await send("POST", "/api/verify", file, { "content-type": "application/pdf" });
    if (judged.status === 200) return judged.json<{ verdict: string }>().verdict;
    expect(judged.status).toBe(429);
    await systemClock.wait(Number(judged.headers.get("retry-after")) * 1_000);
  }
};

describe.skipIf(corpus === null)("real files", () => {
  test(
    "that the service takes are found valid by it, on its record and without it",
    async () => {
      const service = cleanup.use(await serviceInProcess());
      const { clock, random } = systemRuntime();
      const publicUrl = `http://localhost:${new URL(service.url).port}`;
      const { issuers } = await loadOrCreateSigningIdentity(service.dataDir, publicUrl, clock, random);
      const engine = createPdfEngine({ clock, processes: 1 });
      cleanup.defer(() => engine.close());
      const found: Record<string, unknown> = {};
      const refused: Record<string, string> = {};
      for (const [index, path] of chosen.entries()) {
        const file = relative(corpus ?? "", path);
        const answer = await service.client.postDocument(readFileSync(path), [sampleSigner(index)]);
        if (answer.status !== 200) {
          expect(answer.status, file).toBe(400);
          refused[file] = answer.text.slice(0, 200);
          continue;
        }
        const { id_seguimiento, urls } = answer.json<{ id_seguimiento: string; urls: { link: string }[] }>();
        await service.client.sign(urls[0]?.link ?? "");
        const sealed = await eventually(`${file}, sealed`, async () => {
          const { status, bytes } = await service.client.read(`/api/v2/documents/${id_seguimiento}`);
          return status === 200 && bytes;
        });
        const verdict = await verdictOf(service.client, sealed);
        const { untouched, signatures } = await engine.verify(sealed, issuers);
        const { intact, trusted, changesAfter } = signatures.at(-1) ?? {};
        found[file] = { verdict, untouched, intact, trusted, changesAfter };
      }
      console.log(`${chosen.length} files: ${Object.keys(found).length} sealed`, refused);
      const good = { verdict: "valid", untouched: true, intact: true, trusted: true, changesAfter: "none" };
      expect(found).toEqual(Object.fromEntries(Object.keys(found).map((file) => [file, good])));
      expect(Object.keys(found).length).toBeGreaterThan(chosen.length / 2);
    },
    chosen.length * FILE_TIMEOUT_MS,
  );
});
