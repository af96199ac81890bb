import type { JournalEvent } from "@rubrica/journal";
import type { Projection } from "@rubrica/read-models";
import { eventually, samplePdf, sampleSigner } from "@rubrica/test-kit";
import { expect, test } from "vitest";
import { serviceInProcess } from "../support/service.ts";

const NOT_YET = { error: "What was written is not ready to be read yet; try again shortly" };
const UNKNOWN = "019aa5c0-0000-7000-8000-0000000000ff";

/** A service whose projection of that name fails at every document's request, until it is mended. */
const serviceWithFaulty = async (faulty: string) => {
  const fault = { mended: false };
  const failing = (projection: Projection): Projection => ({
    ...projection,
    keysOf: (event: JournalEvent) => {
      if (!fault.mended && event.type === "DocumentRequested") throw new Error(`what Ana wrote at ${event.streamId}`);
      return projection.keysOf(event);
    },
  });
  const service = await serviceInProcess({
    faults: { inPlaceOf: (projection) => (projection.name === faulty ? failing(projection) : projection) },
  });
  const get = async (path: string) => {
    const answer = await fetch(service.url + path, {
      headers: { "x-api-key": service.service.keys.demo?.apiKey ?? "" },
    });
    return { status: answer.status, retryAfter: answer.headers.get("retry-after"), body: await answer.json() };
  };
  const ready = async () => {
    const answer = await service.client.readiness();
    return { status: answer.status, body: answer.json() };
  };
  return Object.assign(service, { fault, get, ready });
};
const comeAgain = { status: 503, retryAfter: "2", body: NOT_YET };

test("an event log that stopped answers 503, all else goes on, /readyz names it, and mended it catches up", async () => {
  await using service = await serviceWithFaulty("event-log");
  const { client, get, ready, fault } = service;
  expect(await ready()).toEqual({ status: 200, body: { status: "ready" } });
  const document = await client.requestDocument(await samplePdf(), [sampleSigner(1)]);
  const { id_seguimiento: id, urls } = document;
  await client.sign(urls[0]?.link ?? "");

  expect(await get(`/api/eventLogs/${id}`)).toEqual(comeAgain);
  expect(await get(`/api/eventLogs/${urls[0]?.id_custom}`)).toEqual(comeAgain);
  expect((await client.status(id)).is_finished).toBe(true);
  // Sealing is owed by other read models, which go on.
  await eventually("the sealed file", async () => (await client.send("GET", `/api/v2/documents/${id}`)).status === 200);
  expect(await ready()).toEqual({
    status: 503,
    body: {
      status: "not ready",
      failing: ["projector"],
      reasons: { projector: "event-log stopped: its code fails at an event" },
    },
  });
  const lines = service
    .log()
    .split("\n")
    .filter((line) => line.includes("projections stopped"));
  expect(lines).toHaveLength(1);

  fault.mended = true;
  await eventually("readiness", async () => (await ready()).status === 200);
  expect((await client.read(`/api/eventLogs/${id}`)).status).toBe(200);
  expect(await client.eventNames(id)).toContain("document_signed");
});

test("while integrators' ids are not projected, each of them is a 503, and documents answer by their own", async () => {
  await using service = await serviceWithFaulty("custom-ids");
  const { client, get } = service;
  const { id_seguimiento: id, urls } = await client.requestDocument(await samplePdf(), [sampleSigner(1)]);
  expect((await client.read(`/api/v2/signatureStatus/${id}`)).status).toBe(200);
  for (const asked of [urls[0]?.id_custom, "never", UNKNOWN])
    expect(await get(`/api/v2/signatureStatus/${asked}`)).toEqual(comeAgain);
});
