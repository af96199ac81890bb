import { systemClock } from "@rubrica/runtime";
import { type DocumentAccepted, type RubricaClient, samplePdf, sampleSigner } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { serviceInProcess } from "../support/service.ts";

const DELAY_MS = 500;
const DOCUMENTS = 200;
const AT_A_TIME = 25;

/** Reads a document by its id or its signer's, status or log, as if nothing was said before; what is stale is told. */
const staleReadings = async (client: RubricaClient, document: DocumentAccepted, number: number): Promise<string[]> => {
  const id = document.id_seguimiento;
  const stale: string[] = [];
  if (number % 2 === 0) {
    const { is_finished, signed_at } = await client.status(id);
    if (!is_finished || signed_at === null) stale.push(`status of ${id}`);
  } else {
    const { is_finished, is_finished_mission } = await client.status(document.urls[0]?.id_custom ?? "");
    if (!is_finished || !is_finished_mission) stale.push(`status of the signer of ${id}`);
  }
  if (number % 5 === 0 && !(await client.eventNames(id)).includes("document_signed")) stale.push(`log of ${id}`);
  return stale;
};

test(`with ${DELAY_MS} ms of delay in the projector, ${DOCUMENTS} readings after signing are never stale`, async () => {
  let delays = 0;
  const beforeProjecting = () => {
    delays += 1;
    return systemClock.wait(DELAY_MS);
  };
  await using service = await serviceInProcess({ faults: { beforeProjecting } });
  const { client } = service;
  const pdf = await samplePdf();
  const numbers = Array.from({ length: DOCUMENTS }, (_, number) => number);
  const stale: string[] = [];
  const signAndRead = async (): Promise<void> => {
    for (let number = numbers.pop(); number !== undefined; number = numbers.pop()) {
      const document = await client.requestDocument(pdf, [sampleSigner(number)]);
      await client.sign(document.urls[0]?.link ?? "");
      stale.push(...(await staleReadings(client, document, number)));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, signAndRead));
  expect(stale).toEqual([]);
  // The delay was felt: without waiting, nearly every reading would have been stale.
  expect(delays).toBeGreaterThan(10);
});

test("a document just requested is found at once, though the projector is behind", async () => {
  await using service = await serviceInProcess({ faults: { beforeProjecting: () => systemClock.wait(DELAY_MS) } });
  const { client } = service;
  const document = await client.requestDocument(await samplePdf(), [sampleSigner(1)]);
  expect(await client.status(document.id_seguimiento)).toEqual({ is_finished: false, signed_at: null });
  const other = await client.requestDocument(await samplePdf(), [sampleSigner(2)]);
  expect(await client.status(other.urls[0]?.id_custom ?? "")).toEqual({
    is_finished: false,
    signed_at: null,
    is_finished_mission: false,
  });
});
