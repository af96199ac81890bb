import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  eventually,
  freePort,
  type RubricaClient,
  rubricaClient,
  samplePdf,
  sampleSigner,
  startServiceProcess,
  temporaryFolder,
} from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { rubrica } from "../support/poison.ts";

/** As somebody who can write to the database alone: a document's events from one of a type on are gone, and all read models. */
const cutBefore = (dataDir: string, documentId: string, type: string): void => {
  const database = new DatabaseSync(join(dataDir, "events.sqlite"));
  const triggers = database.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all();
  for (const { name } of triggers) database.exec(`DROP TRIGGER "${name}"`);
  const ofStream = `stream_id = (SELECT id FROM streams WHERE name = 'document-${documentId}')`;
  const first = `(SELECT min(revision) FROM events WHERE ${ofStream} AND type = '${type}')`;
  expect(
    database.prepare(`DELETE FROM events WHERE ${ofStream} AND revision >= ${first}`).run().changes,
  ).toBeGreaterThan(0);
  database.close();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(join(dataDir, `read-models.sqlite${suffix}`), { force: true });
};

const sealedPdf = (client: RubricaClient, id: string): Promise<Buffer> =>
  eventually("the sealed PDF", async () => {
    const { status, bytes } = await client.read(`/api/v2/documents/${id}`);
    return status === 200 && bytes;
  });

test("a document whose end was taken away is not sealed again, until the loss is accepted", async () => {
  using folder = temporaryFolder();
  const dataDir = folder.path;
  const metricsPort = await freePort();
  const start = () => startServiceProcess({ dataDir, environment: { METRICS_PORT: String(metricsPort) } });
  const cutStreams = async () => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return Number(/^rubrica_streams_cut (\d+)$/m.exec(text)?.[1]);
  };
  let id = "";
  {
    await using service = await start();
    const client = rubricaClient(service);
    const requested = await client.requestDocument(await samplePdf(), [sampleSigner(1)]);
    id = requested.id_seguimiento;
    await client.sign(requested.urls[0]?.link ?? "");
    await sealedPdf(client, id);
    const head = await rubrica(dataDir, "audit", "head");
    const { heads } = (await (await fetch(`${service.url}/pki/heads`)).json()) as {
      heads: { size: number; root: string }[];
    };
    expect(head).toBe(`${heads[0]?.size}:${heads[0]?.root}`);
    expect(await cutStreams()).toBe(0);
  }
  cutBefore(dataDir, id, "DocumentSealed");
  await expect(rubrica(dataDir, "audit", "verify")).rejects.toThrow("The heads do not hold");
  {
    await using service = await start();
    await eventually("that a stream was cut", async () => (await cutStreams()) === 1);
    await eventually("that its obligations stop", async () =>
      service.log().includes("its stream does not hold what a head of the log is over"),
    );
    expect(await rubrica(dataDir, "audit", "export", "--stream", `document-${id}`)).not.toContain("DocumentSealed");
    expect(await rubrica(dataDir, "audit", "accept-loss")).toContain(
      `1 streams ended earlier than was known:\n  document-${id}`,
    );
  }
  await using service = await start();
  await sealedPdf(rubricaClient(service), id);
});
