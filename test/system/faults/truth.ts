import { configFrom } from "@rubrica/config";
import type { JournalEvent } from "@rubrica/journal";
import type { Engines } from "@rubrica/open-engines";
import { openEngines } from "@rubrica/open-engines/stores";
import { rebuildProjections } from "@rubrica/projector/running";
import {
  headsObligations,
  LAST,
  OWED_FIELD,
  obligationsCollections,
  openEmbeddedReadModelStore,
  type Projection,
  projectionsBy,
  type ReadModelStore,
} from "@rubrica/read-models";
import { systemClock, systemRuntime } from "@rubrica/runtime";
import { eventually, type RubricaClient, runCommandLine } from "@rubrica/test-kit";
import { expect } from "vitest";
import type { Ledger, Receiver } from "./integrator.ts";

/** Obligations that failed are met again after growing pauses, of minutes at last. */
const SETTLING_MS = 900_000;
/** FerretDB goes through all records for each answer: asked without a pause, it has no time for the apps. */
const ASKING_MS = 2_000;
const MAX_RECORDS = 100_000;
/** What a document has once, however often its commands were repeated. */
const ONCE = ["DocumentRequested", "DocumentSigned", "DocumentCompleted", "DocumentSealed", "ReportGenerated"];

/** Every answered write is there: of signatures, the sealed PDF too. */
export const nothingAnsweredIsLost = async (client: RubricaClient, { accepted, signed }: Ledger): Promise<void> => {
  expect(signed).toEqual(accepted);
  for (const id of signed) {
    expect(await client.status(id)).toMatchObject({ is_finished: true });
    const file = await client.read(`/api/v2/documents/${id}`);
    expect([file.status, file.bytes.subarray(0, 5).toString()]).toEqual([200, "%PDF-"]);
  }
};

/** Every webhook came, under one id, however often. */
export const toldUnderOneId = ({ signed }: Ledger, { told }: Receiver): void => {
  const due = [...signed].flatMap((id) => [`${id}/alert`, `${id}/report`]);
  expect([...told.keys()].sort()).toEqual(due.sort());
  expect([...told].filter(([, ids]) => ids.size !== 1)).toEqual([]);
};

/** A document's webhooks came one after the other, whoever was killed meanwhile: of each the first that was seen counts. */
export const toldInOrder = ({ signed }: Ledger, { order }: Receiver): void => {
  const wrong = [...signed].filter((id) => order.get(id)?.join() !== "alert,report");
  expect(wrong.map((id) => [id, order.get(id)])).toEqual([]);
};

/** What the engines hold, read past the proxies. */
export interface Stores extends AsyncDisposable {
  engines: Engines;
  events: readonly JournalEvent[];
}

/** Resolves when nothing is owed any more, with all that there is then. */
export const settled = async (environment: Readonly<Record<string, string>>): Promise<Stores> => {
  const engines = await openEngines(configFrom(environment), systemRuntime());
  // A head of the log is owed from its first change on, and due an hour later.
  const soon = obligationsCollections.filter((one) => one !== headsObligations);
  const owed = async () => {
    const found = await Promise.all(
      soon.map((one) => engines.readModels.findRange(one, OWED_FIELD, { upTo: LAST, limit: 10 })),
    );
    return found.flat();
  };
  const isSettled = async () => {
    if ((await owed()).length === 0) return true;
    await systemClock.wait(ASKING_MS);
    return false;
  };
  await eventually("nothing to be owed", isSettled, SETTLING_MS);
  const recorded = [];
  for await (const event of engines.events.readAll()) recorded.push(event);
  return {
    engines,
    events: await engines.journal.restore(recorded),
    [Symbol.asyncDispose]: () => engines.close(),
  };
};

/** There are as many documents as were accepted, and of each no event twice that is there once. */
export const nothingHappenedTwice = ({ events }: Stores, { accepted }: Ledger): void => {
  const counts = new Map<string, number>();
  for (const { streamKind, streamId, type } of events)
    if (streamKind === "document") counts.set(`${streamId}/${type}`, (counts.get(`${streamId}/${type}`) ?? 0) + 1);
  const due = [...accepted].flatMap((id) => ONCE.map((type) => `${id}/${type}`));
  const found = [...counts].filter(([name]) => ONCE.includes(name.split("/")[1] ?? ""));
  expect(found.map(([name]) => name).sort()).toEqual(due.sort());
  expect(found.filter(([, count]) => count !== 1)).toEqual([]);
};

/** Every document and record of its own that the events can have led to. */
const contentOf = async (
  store: ReadModelStore,
  projections: readonly Projection[],
  events: readonly JournalEvent[],
) => {
  const content = new Map<string, unknown>();
  for (const projection of projections) {
    for (const id of new Set(events.flatMap((event) => projection.keysOf(event))))
      content.set(`${projection.name}/${id}`, await store.get(projection, id));
    for (const { field } of projection.indexes) {
      const found = await store.findRange(projection, field, { upTo: LAST, limit: MAX_RECORDS });
      for (const { id, document } of found) content.set(`${projection.name} by ${field}/${id}`, document);
    }
  }
  return content;
};

/** The read models hold what they would if they were made anew. */
export const readModelsEqualRebuild = async ({ engines, events }: Stores): Promise<void> => {
  const { journal, readModels, customIdHmac } = engines;
  const projections = projectionsBy(customIdHmac);
  const anew = openEmbeddedReadModelStore({ path: ":memory:" });
  try {
    await rebuildProjections<JournalEvent>({
      projections,
      store: anew,
      subscribe: (after, signal) => journal.subscribe({ after, signal }),
      signal: new AbortController().signal,
    });
    const wanted = await contentOf(anew, projections, events);
    expect(wanted.size).toBeGreaterThan(events.length / 100);
    expect(await contentOf(readModels, projections, events)).toEqual(wanted);
  } finally {
    await anew.close();
  }
};

/** Every stream's hash chain holds. */
export const chainsHold = async (environment: Readonly<Record<string, string>>): Promise<void> => {
  const { code, stdout, stderr } = await runCommandLine(environment, "audit", "verify");
  expect({ code, said: code === 0 ? "" : stdout + stderr }).toEqual({ code: 0, said: "" });
};
