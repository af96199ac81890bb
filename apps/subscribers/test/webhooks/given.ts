import { createHandlers, setUpAccount } from "@rubrica/commands";
import {
  type Decide,
  type Document,
  type PublishedObligation,
  type RequestDocument,
  recordReport,
  recordSealed,
  reject,
  requestDocument,
  sign,
} from "@rubrica/domain";
import { type DocumentEvent, sample, type TreeHead } from "@rubrica/events";
import { createOutbound, type Outbound } from "@rubrica/outbound";
import { isoTime, systemClock } from "@rubrica/runtime";
import { createSecrets, publicFileTokens } from "@rubrica/secrets";
import {
  contextOf,
  documentIds,
  openWorld as openStores,
  requestOf,
  signerOfDocument,
} from "@rubrica/test-kit/commands";
import { seal, signing } from "@rubrica/test-kit/document-history";
import { webhookSubscriber } from "../../src/webhooks/webhooks.ts";
import { owedIn } from "../owed.ts";

export const documentId = documentIds.first;
export const signerId = signerOfDocument(documentId);
export const publicUrl = "https://sign.example";
export const webhookSecret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const fileTokens = publicFileTokens(createSecrets({ current: Buffer.alloc(32, 1) }));

/** What the token of a public address opens. */
export const fileAt = (url: unknown) =>
  fileTokens.read(/^https:\/\/sign\.example\/files\/([\w-]+)\.pdf$/.exec(String(url))?.[1] ?? "");

/**
 * The account, its documents and what they owe, with the webhooks' subscriber. Its clock stands still, at the true time:
 * who verifies a signature looks at the time of its making.
 */
export const openWorld = async (overridden: { outbound?: Outbound; allowPrivate?: boolean } = {}) => {
  const stores = openStores(systemClock.now());
  const { runtime, journal, handlers } = stores;
  const { clock } = runtime;
  const stopping = new AbortController();
  const heads: { newest: TreeHead | null } = { newest: null };
  const outbound = overridden.outbound ?? createOutbound({ clock, allowPrivate: overridden.allowPrivate ?? true });
  const key = { keyId: sample.keyId, keySha256: sample.sha256 };
  const account = { accountId: sample.accountId, name: "ACME", plan: "pro" as const, credits: 0, webhookSecret, key };
  await setUpAccount(handlers, account, contextOf("account"));

  const subscriberWith = (network: Outbound) =>
    webhookSubscriber({
      // Of its own: it remembers nothing, as after a restart.
      handlers: createHandlers(journal, runtime),
      journal,
      outbound: network,
      runtime,
      publicUrl,
      fileTokens,
      newestHead: async () => heads.newest,
      signal: stopping.signal,
    });
  const subscriber = subscriberWith(outbound);

  let commands = 0;
  const handle = <Command>(decide: Decide<Document, Command, DocumentEvent>, command: Command, id = documentId) => {
    commands += 1;
    return handlers.documents.handle(id, decide, command, contextOf(`command-${commands}`));
  };

  /** The webhooks that are owed and due now, as the publisher publishes them. */
  const due = async (): Promise<PublishedObligation[]> => {
    const now = isoTime(clock.now());
    return (await owedIn(journal)).filter(({ obligation: { kind, dueAt } }) => kind === "webhook" && dueAt <= now);
  };

  return {
    ...stores,
    clock,
    heads,
    stopping,
    handle,
    subscriber,
    subscriberWith,
    due,
    /** Requests a document whose callbacks go to the URL. */
    request: (url: string, other: Partial<RequestDocument> = {}, id = documentId) =>
      handle(requestDocument, requestOf(id, { webhook: { url, headers: {} }, ...other }), id),
    sign: (id = documentId) => handle(sign, signing(signerOfDocument(id)), id),
    reject: (reason: string) => handle(reject, { signerId, reason, origin: sample.origin }),
    seal: (id = documentId) => handle(recordSealed, { ...seal, sendCopies: false }, id),
    report: (id = documentId) => handle(recordReport, { sizeBytes: 1_000 }, id),
    /** Meets what is due now, once; gives how many there were. */
    meetDue: async (): Promise<number> => {
      const published = await due();
      await Promise.all(published.map((one) => subscriber.meet(one)));
      return published.length;
    },
    /** What happened to the webhooks so far, in order. */
    deliveryEvents: async () => {
      const found = [];
      for await (const recorded of journal.store.readAll(undefined, { streamPrefix: "delivery-" }))
        found.push(recorded);
      return (await journal.restore(found)).map(({ type, data }) => ({ type, ...data }));
    },
  };
};
export type World = Awaited<ReturnType<typeof openWorld>>;

/** A document that is completed and sealed, so that its alert is owed. */
export const openSealed = async (
  url: string,
  other: Partial<RequestDocument> = {},
  overridden: Parameters<typeof openWorld>[0] = {},
): Promise<World> => {
  const world = await openWorld(overridden);
  await world.request(url, other);
  await world.sign();
  await world.seal();
  return world;
};
