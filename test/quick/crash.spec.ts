import { rubricaClient, samplePdf, startServiceProcess, temporaryFolder } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { inspect } from "../support/inspection.ts";
import { expectNothingLost, liveAndDie } from "../support/killing.ts";
import { emptyLedger } from "../support/load.ts";

const SEED = 7_000;

test("a service killed under load loses nothing that it answered, and leaves nothing undone", async () => {
  using folder = temporaryFolder();
  const ledger = emptyLedger();
  await liveAndDie(folder.path, ledger, await samplePdf(), SEED);
  expect(ledger.wrong).toEqual([]);
  expect(ledger.accepted.length).toBeGreaterThan(0);

  await using service = await startServiceProcess({ dataDir: folder.path });
  await using inspection = await inspect(folder.path);
  await expectNothingLost(rubricaClient(service), ledger, inspection);
});
