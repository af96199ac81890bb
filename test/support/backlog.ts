import { configFrom } from "@rubrica/config";
import { type DomainEvent, definitionOf, sample, streamName } from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";
import type { Engines } from "@rubrica/open-engines";
import { openEngines } from "@rubrica/open-engines/stores";
import { createProjectionRunner } from "@rubrica/projector/running";
import { projectionsBy } from "@rubrica/read-models";
import { systemRuntime } from "@rubrica/runtime";
import { integrator } from "./integrator.ts";

const runtime = systemRuntime();
const AT_ONCE = 100;

/** So many documents of an account, each of which owes two webhooks to the URL. */
export interface Backlog {
  accountId: string;
  documents: number;
  url: string;
}

const exampleOf = (type: DomainEvent["type"]): DomainEvent => {
  const { data, personal } = definitionOf(type).example;
  return { type, data, personal } as DomainEvent;
};

/** A rejected document whose report was built: its integrator is to be told of both. */
const rejectedDocument = (documentId: string, accountId: string, url: string): DomainEvent[] => {
  const requested = exampleOf("DocumentRequested") as Extract<DomainEvent, { type: "DocumentRequested" }>;
  const { data, personal } = requested;
  if (!personal) throw new Error("a request names its signers");
  const silent = { channel: "v2", sendMessages: false, hasWebhook: true, authentication: "link" } as const;
  const [signer] = data.signers;
  if (!signer) throw new Error("a request has a signer");
  const signers = [{ ...signer, lineId: null }];
  const people = { ...personal, signers: personal.signers.slice(0, 1), webhook: { url, headers: {} } };
  return [
    { ...requested, data: { ...data, ...silent, documentId, accountId, signers }, personal: people },
    { type: "Rejected", data: { signerId: signer.signerId }, personal: { ...sample.origin, reason: "Wrong amount" } },
    { type: "ReportGenerated", data: { sizeBytes: 1 }, personal: null },
  ];
};

/** Writes one such document; gives its id. */
export const writeOne = async (
  { journal }: Pick<Engines, "journal">,
  { accountId, url }: Pick<Backlog, "accountId" | "url">,
): Promise<string> => {
  const id = runtime.ids.uuidv7();
  const context = { commandId: id, accountId, actor: "integrator", correlationId: id, causationId: id };
  await journal.append(streamName("document", id), undefined, rejectedDocument(id, accountId, url), context);
  return id;
};

/** Brings the read models to where the events are, so that the next start has nothing to catch up with. */
const project = async ({ journal, readModels, customIdHmac }: Engines): Promise<void> => {
  const ending = new AbortController();
  const runner = createProjectionRunner<JournalEvent>({
    projections: projectionsBy(customIdHmac),
    store: readModels,
    subscribe: (after, signal) => journal.subscribe({ after, signal }),
    clock: runtime.clock,
    onStopped: (error) => {
      throw error;
    },
  });
  const running = runner.run(ending.signal);
  await runner.caughtUp();
  ending.abort();
  await running;
};

/** Writes documents that owe something straight into the stores of a data folder that no service runs on. */
export const writeBacklogs = async (dataDir: string, backlogs: readonly Backlog[]): Promise<void> => {
  const engines = await openEngines(configFrom({ DATA_DIR: dataDir }), runtime);
  for (const backlog of backlogs) {
    for (let left = backlog.documents; left > 0; left -= AT_ONCE) {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, left) }, () => writeOne(engines, backlog)));
    }
  }
  await project(engines);
  await engines.close();
};

/** An integrator that takes every webhook at once, and counts. */
export interface CountingReceiver extends AsyncDisposable {
  url: string;
  /** The ids that each webhook came under, by `{document}/{type}`. */
  told: ReadonlyMap<string, ReadonlySet<string>>;
  /** Resolves once so many different webhooks came. */
  has(count: number): Promise<void>;
}

export const openCountingReceiver = async (): Promise<CountingReceiver> => {
  const told = new Map<string, Set<string>>();
  const receiver = await integrator(async (type, data, id) => {
    const name = `${data.id_seguimiento}/${type}`;
    told.set(name, (told.get(name) ?? new Set()).add(String(id)));
  });
  return {
    url: receiver.url,
    told,
    has: (count) => receiver.until(() => told.size >= count),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
};
