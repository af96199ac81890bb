import { createHash } from "node:crypto";
import { comparePositions, type Position } from "@rubrica/event-store";
import { type FileReference, sample } from "@rubrica/events";
import { FileMissingError } from "@rubrica/file-store";
import { type AccountDirectory, createHttpServer, createLogger, type HttpServer } from "@rubrica/http";
import type { JournalEvent } from "@rubrica/journal";
import { type Projection, projections, type ReadModelDocument, type StoredDocument } from "@rubrica/read-models";
import { ReportUnavailable } from "@rubrica/report";
import { systemRuntime } from "@rubrica/runtime";
import { apiKeySha256, createSecrets, publicFileTokens } from "@rubrica/secrets";
import { type Given, History } from "../../../packages/read-models/test/projections/history.ts";
import { queryApi } from "../src/index.ts";

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
  find: (sha256) => {
    const name = (Object.keys(accounts) as AccountName[]).find((key) => apiKeySha256(key) === sha256);
    return name && { accountId: accounts[name], keyId: sample.keyId, blocked: false };
  },
  refresh: async () => undefined,
  accountOf: () => undefined,
  sameTeam: (a, b) => a === b || (a !== accounts.foreign && b !== accounts.foreign),
  teammatesOf: (id) => (id === accounts.own ? [accounts.mate] : id === accounts.mate ? [accounts.own] : []),
};

/** Projected records in memory, as far as `project` was called. */
class ReadModels {
  readonly #collections = new Map<string, Map<string, StoredDocument>>();
  position: Position | undefined;

  project(events: readonly JournalEvent[]): void {
    for (const event of events) {
      for (const projection of projections) this.#apply(projection, event);
      this.position = event.position;
    }
  }

  #apply(projection: Projection, event: JournalEvent): void {
    const collection = this.#collections.get(projection.name) ?? new Map<string, StoredDocument>();
    this.#collections.set(projection.name, collection);
    for (const id of projection.keysOf(event)) {
      const document = projection.project(collection.get(id)?.document ?? null, event, id);
      if (document) collection.set(id, { id, position: event.position, document });
    }
  }

  async get<D extends ReadModelDocument>(collection: string, id: string): Promise<StoredDocument<D> | undefined> {
    return this.#collections.get(collection)?.get(id) as StoredDocument<D> | undefined;
  }
}

/** The reading side over events made by hand. What was not projected yet is when somebody waits for it. */
export const world = () => {
  const history = new History();
  const readModels = new ReadModels();
  const files = new Map<string, Buffer>();
  const waits: Position[] = [];
  const lines: string[] = [];
  const runtime = systemRuntime();
  const state = { failing: undefined as "events" | "files" | undefined, stuck: false };

  const lastOf = (stream: string): JournalEvent | undefined => {
    if (state.failing === "events") throw new Error("secret");
    return history.events.findLast((event) => event.stream === stream);
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
      events: {
        streamHead: async (stream) => {
          const last = lastOf(stream);
          return last && { revision: last.revision, position: last.position };
        },
        readLast: async (stream) => lastOf(stream) as never,
        head: async () => history.events.at(-1)?.position,
      },
      freshness: {
        waitFor: async (position, timeoutMs) => {
          waits.push(position);
          if (timeoutMs !== 2_000) throw new Error("another limit than two seconds");
          if (!state.stuck) readModels.project(history.events.filter((event) => isNews(event.position)));
          return !state.stuck;
        },
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
  const isNews = (position: Position) => !readModels.position || comparePositions(position, readModels.position) > 0;

  return {
    app,
    history,
    waits,
    state,
    logText: () => lines.join(""),
    /** Brings the read models up to the last event. */
    project: () => readModels.project(history.events.filter((event) => isNews(event.position))),
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
  account: AccountName = "own",
  signerId: string = sample.signerId,
): void => {
  history.add(
    "DocumentRequested",
    {
      accountId: accounts[account],
      data: { documentId, signers: [{ signerId, lineId: null, order: 0, placement: { pages: 1, x: 1, y: 1 } }] },
      personal: {
        signers: [{ idCustom, name: "Ana Paz", idNumber: "30123456", idNumberCountry: "AR", phone: "5491122334455" }],
      },
    },
    { kind: "document", id: documentId },
  );
};
