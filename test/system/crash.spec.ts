import { rubricaClient, samplePdf, startServiceProcess, temporaryFolder } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { inspect } from "../support/inspection.ts";
import { expectNothingLost, liveAndDie } from "../support/killing.ts";
import { emptyLedger } from "../support/load.ts";

const SEED = 4;
/** `npm run test:long` asks for more. */
const KILLS = Number(process.env.RUBRICA_KILLS ?? 10);
/** So many of them cut off writes: some come when nothing is under way. */
const CUTTING = Math.floor(KILLS * 0.6);

test("a service killed again and again under load loses nothing that it answered, and leaves nothing undone", {
  timeout: 90_000 * KILLS,
}, async () => {
  using folder = temporaryFolder();
  const ledger = emptyLedger();
  const pdf = await samplePdf();
  const cuts: number[] = [];
  for (let life = 0; life < KILLS; life += 1)
    cuts.push(await liveAndDie(folder.path, ledger, pdf, SEED * 1_000 + life));
  console.info(
    `${ledger.accepted.length} requests, ${ledger.signed.length} signatures, ${ledger.rejected.length} rejections answered; writes cut off by each kill: ${cuts.join(" ")}`,
  );
  expect(cuts.filter((count) => count > 0).length).toBeGreaterThanOrEqual(CUTTING);
  expect(ledger.wrong).toEqual([]);
  expect(ledger.signed.length).toBeGreaterThan(KILLS);

  await using service = await startServiceProcess({ dataDir: folder.path });
  await using inspection = await inspect(folder.path);
  const client = rubricaClient(service);
  await expectNothingLost(client, ledger, inspection);
});
