import { systemClock } from "@rubrica/runtime";
import { type DocumentAccepted, eventually, HANGING_MS, samplePdf, sampleSigner } from "@rubrica/test-kit";
import { hasEngines, skipUnlessStopped } from "@rubrica/test-kit/deployment";
import { expect, test } from "vitest";
import { drive, emptyLedger, openReceiver } from "./integrator.ts";
import { type Engine, openWorld, saidToBeMissing, type World } from "./world.ts";

/** What the service is to need at most, from when its database is back until it answers as ever. */
const BACK_AT_WORK_MS = 20_000;
const CONCURRENCY = 2;
/** So many documents are requested and signed while the database is killed and killed again. */
const DOCUMENTS = 12;
/** How much is shown of an answer that is an error. */
const KEPT_BODY = 200;
/** Of the numbers that signers have, one that no other document's has. */
const READ_NUMBER = 1_000;

/** How the database is killed, twice, until it is back for good. */
const twice: Readonly<Record<string, (world: World, database: Engine) => Promise<void>>> = {
  "the second time as soon as it is back": async (_, { process }) => {
    for (let time = 0; time < 2; time++) {
      await process.kill();
      await process.start();
    }
  },
  "the second time while it starts": async (_, { process }) => {
    await process.kill();
    const starting = process.start().catch(() => {});
    await process.kill();
    await starting;
    await process.start();
  },
  // For so long, the projector that worked has lost its lease each time.
  "each time until all who need it have said so": async (world, { process }) => {
    for (let time = 0; time < 2; time++) {
      await process.kill();
      await saidToBeMissing(world, "MongoDB");
      await process.start();
    }
  },
  "each time after it was silent": async (world, { process }) => {
    for (let time = 0; time < 2; time++) {
      await process.silence();
      await saidToBeMissing(world, "MongoDB");
      await process.kill();
      await process.start();
    }
  },
};

/** What is read of any document, whatever has become of it. */
const readsOf = (id: string): string[] => [
  `/api/v2/signatureStatus/${id}`,
  `/api/eventLogs/${id}`,
  `/api/v2/documents/${id}/webhooks`,
  `/api/v2/signers/${id}/metadata`,
];

/** What is read of a document that was signed, by app. */
const reads = ({ id_seguimiento: id, urls: [first] }: DocumentAccepted): Readonly<Record<string, string[]>> => {
  const token = new URL(first?.link ?? "").pathname.replace("/s/", "");
  return {
    "query-api": [
      ...readsOf(id),
      `/api/v2/signatureStatus/${first?.id_custom}`,
      `/api/v2/documents/${id}`,
      `/api/v2/reporte/${id}`,
      "/api/v2/webhooks?state=failing",
    ],
    "command-api": [`/api/signing/${token}`, `/api/signing/${token}/document`, `/api/signing/${token}/signed`],
    "verify-web": ["/pki/ca.crl"],
  };
};

/** Each path, by app, at every process of its app. */
const addressesOf = ({ deployment }: World, pathsOf: Readonly<Record<string, string[]>>): string[] =>
  Object.entries(pathsOf).flatMap(([app, paths]) =>
    deployment.processesOf(app).flatMap(({ url }) => paths.map((path) => url + path)),
  );

/** What it is answered with in time: "200", the status and the body of any other, or why there was no answer. */
const answerOf = async (address: string, apiKey: string, withinMs: number): Promise<string> => {
  const beganMs = systemClock.monotonicMs();
  try {
    const answer = await fetch(address, { headers: { "x-api-key": apiKey }, signal: AbortSignal.timeout(withinMs) });
    const body = await answer.text();
    return answer.status === 200 ? "200" : `${answer.status} ${body.slice(0, KEPT_BODY)}`;
  } catch (error) {
    return `${error} after ${Math.round(systemClock.monotonicMs() - beganMs)} ms`;
  }
};

/** Those that are not answered with 200 in all that time, each asked again and again, with what they were answered last. */
const unanswered = async (addresses: readonly string[], apiKey: string, withinMs: number): Promise<string[]> => {
  const endMs = systemClock.monotonicMs() + withinMs;
  let left = addresses.map((address) => ({ address, answer: "" }));
  let rounds = 0;
  const answered = async () => {
    const leftMs = Math.max(1, Math.ceil(endMs - systemClock.monotonicMs()));
    const answers = left.map(async ({ address }) => ({ address, answer: await answerOf(address, apiKey, leftMs) }));
    left = (await Promise.all(answers)).filter(({ answer }) => answer !== "200");
    rounds += 1;
    return left.length === 0;
  };
  await eventually("every GET to be answered", answered, withinMs).catch(() => {});
  return left.map(({ address, answer }) => `${address}, asked ${rounds} times: ${answer}`);
};

test.skipIf(!hasEngines())(
  "every GET answers within 20 s once a database that was killed twice is back",
  { timeout: 900_000 },
  async ({ skip }) => {
    skipUnlessStopped(skip, "MongoDB");
    await using receiver = await openReceiver();
    await using world = await openWorld(1);
    const { deployment, engines } = world;
    const { client, apiKey } = deployment;
    const database = engines.find(({ name }) => name === "MongoDB") as Engine;
    const pdf = await samplePdf();
    const document = await client.requestDocument(pdf, [sampleSigner(READ_NUMBER)]);
    await client.sign(document.urls[0]?.link ?? "");
    const addresses = addressesOf(world, reads(document));
    expect(await unanswered(addresses, apiKey, HANGING_MS)).toEqual([]);

    const ledger = emptyLedger();
    const load = { client, ledger, pdf, webhookUrl: receiver.url };
    for (const [index, [how, killTwice]] of Object.entries(twice).entries()) {
      const numbers = Array.from({ length: DOCUMENTS }, (_, number) => index * DOCUMENTS + number);
      const before = ledger.accepted.size;
      const driving = drive(load, numbers, CONCURRENCY);
      driving.catch(() => {});
      await eventually("the load to be under way", () => ledger.accepted.size > before);
      await killTwice(world, database);
      const backMs = systemClock.monotonicMs();
      // What was written meanwhile is read as well: it has to be projected first.
      const newest = [...ledger.accepted].at(-1) ?? "";
      const all = [...addresses, ...addressesOf(world, { "query-api": readsOf(newest) })];
      expect(await unanswered(all, apiKey, BACK_AT_WORK_MS), `killed ${how}`).toEqual([]);
      const seconds = ((systemClock.monotonicMs() - backMs) / 1_000).toFixed(1);
      console.info(`killed twice, ${how}: every GET answered after ${seconds} s`);
      await driving;
    }
  },
);
