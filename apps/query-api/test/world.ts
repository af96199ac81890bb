import { createHash } from "node:crypto";
import { comparePositions, type Position } from "@rubrica/event-store";
import { type FileReference, sample } from "@rubrica/events";
import { type AccountDirectory, createHttpServer, createLogger, type HttpServer } from "@rubrica/http";
import type { JournalEvent } from "@rubrica/journal";
import {
  type AnalyticsRecord,
  analytics,
  type Collection,
  type FunnelQuestion,
  openEmbeddedReadModelStore,
  type Projection,
  projectionsBy,
  type Range,
  type ReadModelDocument,
  type StoredDocument,
} from "@rubrica/read-models";
import { ReportUnavailable } from "@rubrica/report";
import { systemRuntime } from "@rubrica/runtime";
import { apiKeySha256, createSecrets, publicFileTokens } from "@rubrica/secrets";
import { FileMissingError } from "@rubrica/storage";
import { type Given, History } from "@rubrica/test-kit/history";
import { namesIn, peopleIn, reasonIn } from "../src/people.ts";
import { queryApi } from "../src/query-api.ts";

export type { Given };
export { History };

export const accounts = {
  own: sample.accountId,
  mate: "019aa5c0-0000-7000-8000-0000000000a2",
  foreign: "019aa5c0-0000-7000-8000-0000000000a3",
} as const;
export type AccountName = keyof typeof accounts;

/** Makes the addresses of public files that the world's service knows. */
export const fileTokens = publicFileTokens(createSecrets({ current: Buffer.alloc(32, 7) }));

/** Keys are the accounts' names; `own` and `mate` are of one team. */
const directory: AccountDirectory = {
  find: async (sha256) => {
    const name = (Object.keys(accounts) as AccountName[]).find((key) => apiKeySha256(key) === sha256);
    return name && { accountId: accounts[name], keyId: sample.keyId, blocked: false };
  },
  refresh: async () => undefined,
  anyUnreadable: async () => false,
  sameTeam: async (a, b) => a === b || (a !== accounts.foreign && b !== accounts.foreign),
  teammatesOf: async (id) => (id === accounts.own ? [accounts.mate] : id === accounts.mate ? [accounts.own] : []),
};

export const hmacOf = (accountId: string, idCustom: string): string =>
  createHash("sha256").update(`${accountId}/${idCustom}`).digest("hex");
const projections = projectionsBy(hmacOf);

/** Projected records in memory, as far as `project` was called. */
class ReadModels {
  readonly #collections = new Map<string, Map<string, StoredDocument>>();
  readonly #positions = new Map<string, Position>();

  /** Brings the projections up to the last of all events, but for those named. */
  project(events: readonly JournalEvent[], stopped: readonly string[] = []): void {
    for (const projection of projections)
      for (const event of events) {
        if (stopped.includes(projection.name) || this.reached({ name: projection.name }, event.position)) continue;
        this.#apply(projection, event);
        this.#positions.set(projection.name, event.position);
      }
  }

  reached({ name }: { name: string }, position: Position): boolean {
    const reached = this.#positions.get(name);
    return reached !== undefined && comparePositions(reached, position) >= 0;
  }

  #apply(projection: Projection, event: JournalEvent): void {
    const collection = this.#collections.get(projection.name) ?? new Map<string, StoredDocument>();
    this.#collections.set(projection.name, collection);
    for (const id of projection.keysOf(event)) {
      const before = collection.get(id)?.document ?? null;
      const document = projection.project(before, event, id);
      if (document && !(projection.sparse && document === before))
        collection.set(id, { id, position: event.position, document });
    }
  }

  async get<D extends ReadModelDocument>({ name }: Collection<D>, id: string): Promise<StoredDocument<D> | undefined> {
    return this.#collections.get(name)?.get(id) as StoredDocument<D> | undefined;
  }

  /** As the embedded store counts what is here. */
  async countFunnel(collection: Collection, question: FunnelQuestion) {
    const store = openEmbeddedReadModelStore({ path: ":memory:" });
    const generation = await store.liveGeneration(collection);
    const changes = [...(this.#collections.get(collection.name)?.values() ?? [])].map((stored) => ({
      ...stored,
      rows: Object.entries(analytics.rowsOf?.(stored.document as AnalyticsRecord) ?? {}).map(([table, rows]) => ({
        table,
        rows,
        changed: [...rows.keys()],
      })),
    }));
    await store.apply([{ generation, changes }], { commit: 1n, prepare: 1n });
    const counted = await store.countFunnel(collection, question);
    await store.close();
    return counted;
  }

  /** Of documents and their parts. Nothing is set aside here. */
  async findRange<D extends ReadModelDocument>(
    { name }: Collection,
    field: string,
    { after = "", upTo, limit }: Range,
  ): Promise<StoredDocument<D>[]> {
    const { partsOf } = projections.find((projection) => projection.name === name) ?? {};
    const all = [...(this.#collections.get(name)?.values() ?? [])].flatMap((stored) => [
      stored,
      ...(partsOf?.(stored.document) ?? []).map((part) => ({ ...stored, ...part })),
    ]);
    const keyOf = ({ document }: StoredDocument): string =>
      typeof document[field] === "string" ? document[field] : "";
    return all
      .filter((one) => keyOf(one) > after && keyOf(one) <= upTo)
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
      .slice(0, limit) as StoredDocument<D>[];
  }
}

/**
 * The reading side over events made by hand. What was not projected yet is when somebody waits for it, but by
 * projections that are stopped.
 */
export const world = () => {
  const history = new History();
  const readModels = new ReadModels();
  const files = new Map<string, Buffer>();
  /** What was waited for that was not there: projection and position. */
  const waits: [string, Position][] = [];
  const lines: string[] = [];
  const runtime = systemRuntime();
  const state = {
    failing: undefined as "events" | "files" | undefined,
    stopped: [] as readonly string[],
    leftMs: undefined as number | undefined,
  };

  const lastOf = (stream: string): JournalEvent | undefined => {
    if (state.failing === "events") throw new Error("secret");
    return history.events.findLast((event) => event.stream === stream);
  };
  const journal = {
    readFirst: async (stream: string) => {
      if (state.failing === "events") throw new Error("secret");
      return history.events.find((event) => event.stream === stream);
    },
    read: async function* (stream: string, from = 0n) {
      yield* history.events.filter((event) => event.stream === stream && event.revision >= from);
    },
  };
  const app: HttpServer = createHttpServer({
    runtime,
    logger: createLogger({ clock: runtime.clock, stream: { write: (line) => lines.push(line) } }),
  });
  app.register(
    queryApi({
      clock: runtime.clock,
      accounts: directory,
      publicUrl: "https://sign.example",
      fileTokens,
      reports: {
        build: async (documentId) => {
          const ended = history.events.some(
            ({ type, streamId }) => streamId === documentId && (type === "DocumentSealed" || type === "Rejected"),
          );
          if (state.failing === "files") throw new Error("secret");
          if (!ended) throw new ReportUnavailable();
          return new Uint8Array(Buffer.from(`%PDF report of ${documentId}`));
        },
      },
      readModels,
      customIdHmac: hmacOf,
      peopleOf: peopleIn(journal),
      namesOf: namesIn(journal),
      reasonOf: reasonIn(journal),
      events: {
        streamEnd: async (stream) => {
          const last = lastOf(stream);
          return last && { revision: last.revision, position: last.position };
        },
        readLast: async (stream) => lastOf(stream) as never,
        readStream: async function* () {},
        lastPosition: async () => history.events.at(-1)?.position,
      },
      freshness: {
        waitFor: async (projection, position, timeoutMs) => {
          if (!readModels.reached(projection, position)) waits.push([projection.name, position]);
          if (timeoutMs > 2_000) throw new Error("a longer limit than two seconds");
          readModels.project(history.events, state.stopped);
          return readModels.reached(projection, position);
        },
        leftMs: async () => state.leftMs,
      },
      files: {
        get: async (owner, sha256) => {
          if (state.failing === "files") throw new Error("secret");
          const bytes = files.get(`${owner}/${sha256}`);
          if (!bytes) throw new FileMissingError();
          return bytes;
        },
      },
    }),
  );

  return {
    app,
    history,
    waits,
    state,
    logText: () => lines.join(""),
    /** Brings the read models up to the last event. */
    project: () => readModels.project(history.events),
    /** Puts a file of a document where the file store keeps it. */
    file: (owner: string, text: string, mediaType: string): FileReference => {
      const bytes = Buffer.from(text);
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      files.set(`${owner}/${sha256}`, bytes);
      return { sha256, size: bytes.length, mediaType };
    },
    get: (url: string, account: AccountName = "own") => app.inject({ url, headers: { "x-api-key": account } }),
  };
};
export type World = ReturnType<typeof world>;

/** A document of an account, asked for with one signer whose `id_custom` is given. */
export const request = (
  { history }: World,
  documentId: string,
  idCustom: string,
  {
    account = "own",
    signerId = sample.signerId,
    sentFile = null,
  }: { account?: AccountName; signerId?: string; sentFile?: FileReference | null } = {},
): void => {
  history.add(
    "DocumentRequested",
    {
      accountId: accounts[account],
      data: {
        documentId,
        sentFile,
        signers: [{ signerId, lineId: null, order: 0, group: 0, placement: { pages: 1, x: 1, y: 1 } }],
      },
      personal: {
        signers: [
          {
            idCustom,
            name: "Ana Paz",
            idNumber: "30123456",
            idNumberCountry: "AR",
            phone: "5491122334455",
            email: null,
          },
        ],
      },
    },
    { kind: "document", id: documentId },
  );
};
