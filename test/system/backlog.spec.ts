import { derivedId } from "@rubrica/events";
import { rubricaClient, samplePdf, sampleSigner, startServiceProcess, temporaryFolder } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { openCountingReceiver, writeBacklogs } from "../support/backlog.ts";

const environment = { ALLOW_PRIVATE_URLS: "true" };

test("a backlog of an account's keeps nobody waiting, and is met over a stop and a start, each under one id", async () => {
  using folder = temporaryFolder();
  await using busy = await openCountingReceiver();
  await using quiet = await openCountingReceiver();
  const documents = 1_500;
  await writeBacklogs(folder.path, [
    { accountId: derivedId("busy"), documents, url: busy.url },
    { accountId: derivedId("quiet"), documents: 1, url: quiet.url },
  ]);
  {
    await using service = await startServiceProcess({ dataDir: folder.path, environment });
    await quiet.has(2);
    expect(busy.told.size).toBeLessThan(documents);
    const client = rubricaClient(service);
    const { id_seguimiento } = await client.requestDocument(await samplePdf(), [sampleSigner(1)]);
    const { status } = await client.read(`/api/v2/signatureStatus/${id_seguimiento}`);
    expect(status).toBe(200);
    expect(await service.end("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(busy.told.size).toBeLessThan(2 * documents);
  }
  await using _again = await startServiceProcess({ dataDir: folder.path, environment });
  await busy.has(2 * documents);
  for (const receiver of [busy, quiet]) for (const ids of receiver.told.values()) expect(ids.size).toBe(1);
});
