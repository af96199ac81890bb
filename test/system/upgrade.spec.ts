import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import type { Projection } from "@rubrica/read-models";
import { systemClock, systemRuntime } from "@rubrica/runtime";
import { eventually, samplePdf, sampleSigner, temporaryFolder } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { serviceInProcess } from "../support/service.ts";
import { TravelClock } from "../support/travel-clock.ts";

const DOCUMENTS = 20;
const HOUR_MS = 3_600_000;

/** As the release before had it. */
const former = (projection: Projection): Projection => ({ ...projection, version: projection.version - 1 });

/** The versions of read models that the folder holds. */
const versionsIn = (dataDir: string): { collection: string; version: number }[] => {
  const database = new DatabaseSync(join(dataDir, "read-models.sqlite"), { readOnly: true });
  try {
    const rows = database.prepare("SELECT collection, version FROM generations ORDER BY collection, version").all();
    return rows.map(({ collection, version }) => ({ collection: String(collection), version: Number(version) }));
  } finally {
    database.close();
  }
};

test("a folder of the version before is built anew, and how far that is and how long it takes is told", async () => {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  const clock = new TravelClock(systemClock.now() - HOUR_MS);
  const before = await serviceInProcess({
    dataDir,
    runtime: { ...systemRuntime(), clock },
    faults: { inPlaceOf: former },
  });
  const ids: string[] = [];
  const pdf = await samplePdf();
  for (let number = 0; number < DOCUMENTS; number++)
    ids.push((await before.client.requestDocument(pdf, [sampleSigner(number)])).id_seguimiento);
  await before.close();
  const ofFormer = versionsIn(dataDir);

  const gate = Promise.withResolvers<void>();
  await using service = await serviceInProcess({ dataDir, faults: { beforeProjecting: () => gate.promise } });
  const ready = async () => (await service.client.readiness()).json<{ reasons?: Record<string, string> }>();
  const pathOf = (id: string) => `/api/v2/signatureStatus/${id}`;
  try {
    expect((await ready()).reasons?.["read models"]).toMatch(/documents is 36\d\d s behind \(at 0 % of the log\)/);
    const refused = await service.client.send("GET", pathOf(ids[0] ?? ""));
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
  } finally {
    gate.resolve();
  }

  await eventually("readiness", async () => (await ready()).reasons === undefined);
  for (const id of ids) expect((await service.client.read(pathOf(id))).status).toBe(200);
  const raised = ofFormer.map(({ collection, version }) => ({ collection, version: version + 1 }));
  await eventually("the former ones are dropped", () => isDeepStrictEqual(versionsIn(dataDir), raised));
});
