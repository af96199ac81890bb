import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { configFrom } from "@rubrica/config";
import { type DomainEvent, definitionOf, streamName } from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";
import type { Engines } from "@rubrica/open-engines";
import { openEngines } from "@rubrica/open-engines/stores";
import { createProjectionRunner } from "@rubrica/projector/running";
import { projectionNames, projectionsBy } from "@rubrica/read-models";
import { type Extent, percentile, perSecond, type Row, ratio, runtime, timeOf, whole, withFolder } from "./measure.ts";

/** What happens to a document with one signer, from request to seal. */
const LIFE = [
  "DocumentRequested",
  "SignerTurnCame",
  "MessageAttempted",
  "MessageSent",
  "MessageDelivered",
  "TemplateAnswered",
  "SignatureLinkSent",
  "SigningPageOpened",
  "ConsentGiven",
  "DocumentSigned",
  "DocumentCompleted",
  "DocumentSealed",
] as const;

const exampleOf = (type: (typeof LIFE)[number], documentId: string): DomainEvent => {
  const { data, personal } = definitionOf(type).example;
  const own = "documentId" in data ? { ...data, documentId } : data;
  return { type, data: own, personal } as DomainEvent;
};

const writeDocument = async ({ journal }: Engines): Promise<void> => {
  const documentId = runtime.ids.uuidv7();
  const accountId = "019aa5c0-0000-7000-8000-0000000000a1";
  const context = {
    commandId: documentId,
    accountId,
    actor: "integrator",
    correlationId: documentId,
    causationId: documentId,
  };
  const events = LIFE.map((type) => exampleOf(type, documentId));
  await journal.append(streamName("document", documentId), undefined, events, context);
};

const createRunner = ({ journal, readModels, freshness, customIdHmac }: Engines) =>
  createProjectionRunner<JournalEvent>({
    projections: projectionsBy(customIdHmac),
    store: readModels,
    subscribe: (after, signal) => journal.subscribe({ after, signal }),
    clock: runtime.clock,
    onApplied: () => freshness.lookNow(),
    onStopped: (error) => {
      throw error;
    },
  });

const rawMs = (folder: string): Promise<number> => {
  const database = new DatabaseSync(join(folder, "events.sqlite"), { readOnly: true });
  return timeOf(() => {
    for (const { data, metadata } of database.prepare("SELECT data, metadata FROM events ORDER BY seq").iterate()) {
      JSON.parse(String(data));
      JSON.parse(String(metadata));
    }
  }).finally(() => database.close());
};

/** Events a second into all read models, and by iterating over the rows and parsing their JSON. */
const replayOf = (documents: number): Promise<{ replay: number; raw: number }> =>
  withFolder(async (folder) => {
    const count = documents * LIFE.length;
    const engines = await openEngines(configFrom({ DATA_DIR: folder }), runtime);
    for (let done = 0; done < documents; done += 100) {
      await Promise.all(Array.from({ length: 100 }, () => writeDocument(engines)));
    }
    const raw = perSecond(count, await rawMs(folder));
    const stopping = new AbortController();
    const runner = createRunner(engines);
    let running: Promise<void> | undefined;
    const replay = perSecond(
      count,
      await timeOf(async () => {
        running = runner.run(stopping.signal);
        await Promise.race([running, runner.caughtUp()]);
      }),
    );
    stopping.abort();
    await running;
    await engines.close();
    return { replay, raw };
  });

export const replayRatio = async (documents: number): Promise<number> => {
  const { replay, raw } = await replayOf(documents);
  return replay / raw;
};

/** All read models from all events, against iterating over the rows and parsing their JSON. */
export const benchReplay = async ({ quick }: Extent): Promise<Row> => {
  const { replay, raw } = await replayOf(quick ? 500 : 5_000);
  return {
    what: "replay into all read models",
    measured: `${whole(replay)} events/s`,
    baseline: `raw iterate and JSON.parse: ${whole(raw)} events/s`,
    result: ratio(replay / raw),
    value: replay / raw,
    aim: "≥ 0.2",
    note:
      `keys and decrypting a fifth, schema checks a fifth, folding and writing ${projectionNames.length} projections a third, ` +
      "reading the events a tenth, garbage a tenth",
  };
};

/** From an event's append to its read models, at 100 documents' requests a second. */
export const benchLag = ({ quick }: Extent): Promise<Row> =>
  withFolder(async (folder) => {
    const { clock } = runtime;
    const engines = await openEngines(configFrom({ DATA_DIR: folder }), runtime);
    const stopping = new AbortController();
    const followed = projectionsBy(engines.customIdHmac);
    const runner = createRunner(engines);
    const running = runner.run(stopping.signal);
    await Promise.race([running, runner.caughtUp()]);
    const lags: number[] = [];
    const one = async () => {
      await writeDocument(engines);
      const appendedMs = clock.monotonicMs();
      const last = await engines.events.lastPosition();
      if (last) for (const projection of followed) await engines.freshness.waitFor(projection, last, 5_000);
      lags.push(clock.monotonicMs() - appendedMs);
    };
    const seconds = quick ? 2 : 15;
    const inFlight: Promise<void>[] = [];
    for (let sent = 0; sent < seconds * 100; sent++) {
      inFlight.push(one());
      await clock.wait(10);
    }
    await Promise.all(inFlight);
    stopping.abort();
    await running;
    await engines.close();
    const p99 = percentile(lags, 0.99);
    return {
      what: "event to read model, 100 documents/s",
      measured: `p50 ${percentile(lags, 0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
      baseline: "—",
      result: `${p99.toFixed(1)} ms`,
      aim: "p99 < 20 ms",
      note: `${LIFE.length} events a document`,
    };
  });
