import { hasEnded, type RequestedDocument } from "@rubrica/domain";
import { systemClock } from "@rubrica/runtime";
import { seededRandom } from "@rubrica/runtime/testing";
import { eventually, type RubricaClient, rubricaClient, startServiceProcess } from "@rubrica/test-kit";
import { expect } from "vitest";
import type { Inspection } from "./inspection.ts";
import { signAlong } from "./line.ts";
import { type Ledger, loadUntilCut } from "./load.ts";

const CONCURRENCY = 6;
const PHONES = 8;
const MOST_ANSWERS_A_LIFE = 30;
const LONGEST_WAIT_MS = 100;

/**
 * Starts the service, loads it, and kills it after a random number of answers, at a random moment: not even one answer
 * hits the start. Resolves with how many writes that cut off.
 */
export const liveAndDie = async (dataDir: string, ledger: Ledger, pdf: Buffer, seed: number): Promise<number> => {
  const random = seededRandom(seed);
  await using service = await startServiceProcess({ dataDir });
  const client = rubricaClient(service);
  const answersToCome = Math.floor(random.fraction() * MOST_ANSWERS_A_LIFE);
  const answered = () => ledger.accepted.length + ledger.signed.length + ledger.rejected.length;
  const last = answered() + answersToCome;
  const load = loadUntilCut({ client, ledger, pdf, random, concurrency: CONCURRENCY, phones: PHONES });
  await eventually("the load to be answered", () => answered() >= last);
  await systemClock.wait(random.fraction() * LONGEST_WAIT_MS);
  await service.end("SIGKILL");
  return load;
};

/** Every write that was answered is there; of signatures, the sealed PDF too. */
const expectAnsweredToBeThere = async (client: RubricaClient, ledger: Ledger): Promise<void> => {
  const answered = await Promise.all(
    ledger.accepted.map(async ({ id_seguimiento }) => ({
      id: id_seguimiento,
      status: (await client.read(`/api/v2/signatureStatus/${id_seguimiento}`)).status,
    })),
  );
  expect(answered.filter(({ status }) => status !== 200)).toEqual([]);
  for (const { id_seguimiento: id } of ledger.signed) {
    expect(await client.status(id)).toMatchObject({ is_finished: true });
    const file = await client.read(`/api/v2/documents/${id}`);
    expect(file.status).toBe(200);
    expect(file.bytes.subarray(0, 5).toString()).toBe("%PDF-");
  }
  for (const { id_seguimiento } of ledger.rejected) {
    expect(await client.eventNames(id_seguimiento)).toContain("document_rejected");
  }
};

const onlySigner = ({ signers }: RequestedDocument) => {
  const [signer] = signers;
  if (!signer) throw new Error("a document without signers");
  return signer;
};

/** Who has the turn was asked; who has not, waits behind a document that is still open. */
const expectNobodyForgotten = async (inspection: Inspection): Promise<void> => {
  const documents = await inspection.documents();
  const open = documents.filter((document) => !hasEnded(document));
  for (const document of open) {
    const { turn, messages } = onlySigner(document);
    expect(turn).not.toBe("waiting");
    if (turn === "came") expect(Object.values(messages).map(({ state }) => state)).toContain("sent");
  }
  const openIds = new Set(open.map(({ documentId }) => documentId));
  for (const { holder, queue } of (await inspection.lines()).values()) {
    if (holder === null) expect(queue).toEqual([]);
    else expect(openIds.has(holder.documentId)).toBe(true);
    for (const { documentId } of queue) expect(openIds.has(documentId)).toBe(true);
  }
};

const nothingOwed = (inspection: Inspection): Promise<true> =>
  eventually("nothing to be owed", async () => (await inspection.openObligations()).length === 0);

/** Signs down every line, as far as the links were answered. */
const signAll = async (client: RubricaClient, ledger: Ledger, inspection: Inspection): Promise<void> => {
  const linkOf = new Map(ledger.accepted.map(({ id_seguimiento, urls }) => [id_seguimiento, urls[0]?.link]));
  const sign = async (documentId: string): Promise<boolean> => {
    const link = linkOf.get(documentId);
    // A request that was cut before its answer gave nobody a link: its signer is reached by phone alone.
    if (link !== undefined) await client.sign(link);
    return link !== undefined;
  };
  const lineIds = [...(await inspection.lines()).keys()];
  await Promise.all(lineIds.map((lineId) => signAlong(inspection.engines.handlers, lineId, sign)));
};

/** What was answered is there, what it obliges to is done, and every line goes on to its end. */
export const expectNothingLost = async (
  client: RubricaClient,
  ledger: Ledger,
  inspection: Inspection,
): Promise<void> => {
  await nothingOwed(inspection);
  await expectAnsweredToBeThere(client, ledger);
  await expectNobodyForgotten(inspection);
  await signAll(client, ledger, inspection);
  await nothingOwed(inspection);
  await expectNobodyForgotten(inspection);
};
