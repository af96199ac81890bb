import { comparePositions } from "@rubrica/event-store";
import { streamName } from "@rubrica/events";
import { type CustomIdRecord, customIdKey, customIds } from "@rubrica/read-models";
import type { QueryApiDependencies } from "./dependencies.ts";

/** How long a reader waits for a projection that is behind, in milliseconds; then it answers with what there is. */
export const FRESHNESS_TIMEOUT_MS = 2_000;

/** Longer ids are nobody's. */
const MAX_ID_LENGTH = 256;

/** Document ids as Rubrica makes them: others are never looked for in the event store. */
const DOCUMENT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What a collection that is found by document must tell of it. */
export type DocumentView = { documentId: string; accountId: string };

/** A document, and the signer whose `id_custom` it was asked by; null when it was asked by its own id. */
export interface Found<View extends DocumentView> {
  view: View;
  signerId: string | null;
}

/**
 * Finds a document's view by `id_seguimiento` or a signer's `id_custom`, for a caller who sees every command that was
 * answered before the question.
 *
 * A foreign document takes the way of an unknown one from where its owner is known: same steps, same wait, same answer.
 */
export class DocumentFinder {
  readonly #dependencies: QueryApiDependencies;

  constructor(dependencies: QueryApiDependencies) {
    this.#dependencies = dependencies;
  }

  /** The view of a collection, or undefined when the id is unknown or the document not the caller's to read. */
  async find<View extends DocumentView>(
    collection: string,
    id: string,
    callerAccountId: string,
  ): Promise<Found<View> | undefined> {
    if (id.length > MAX_ID_LENGTH) return undefined;
    const view = DOCUMENT_ID.test(id) ? await this.#byDocumentId<View>(collection, id, callerAccountId) : undefined;
    return view ? { view, signerId: null } : this.#byCustomId<View>(collection, id, callerAccountId);
  }

  async #byDocumentId<View extends DocumentView>(
    collection: string,
    id: string,
    callerAccountId: string,
  ): Promise<View | undefined> {
    const { events, readModels, freshness, accounts } = this.#dependencies;
    const stream = streamName("document", id);
    const [head, stored] = await Promise.all([events.streamHead(stream), readModels.get<View>(collection, id)]);
    if (!head) return undefined;
    if (stored && comparePositions(stored.position, head.position) >= 0) {
      return accounts.sameTeam(callerAccountId, stored.document.accountId) ? stored.document : undefined;
    }
    const accountId = (await events.readLast(stream))?.metadata.accountId;
    if (typeof accountId !== "string" || !accounts.sameTeam(callerAccountId, accountId)) return undefined;
    await freshness.waitFor(head.position, FRESHNESS_TIMEOUT_MS);
    return (await readModels.get<View>(collection, id))?.document;
  }

  async #byCustomId<View extends DocumentView>(
    collection: string,
    idCustom: string,
    callerAccountId: string,
  ): Promise<Found<View> | undefined> {
    const { events, readModels, freshness } = this.#dependencies;
    const head = await events.head();
    if (head) await freshness.waitFor(head, FRESHNESS_TIMEOUT_MS);
    const meant = await this.#meantBy(idCustom, callerAccountId);
    if (!meant) return undefined;
    const view = (await readModels.get<View>(collection, meant.documentId))?.document;
    return view && { view, signerId: meant.signerId };
  }

  /** The caller's own signer of that id, else the one of the team's newest document. */
  async #meantBy(idCustom: string, callerAccountId: string): Promise<CustomIdRecord | undefined> {
    const { readModels, accounts } = this.#dependencies;
    const ofAccount = async (accountId: string) =>
      (await readModels.get<CustomIdRecord>(customIds.name, customIdKey(accountId, idCustom)))?.document;
    const own = await ofAccount(callerAccountId);
    if (own) return own;
    const teams = await Promise.all(accounts.teammatesOf(callerAccountId).map(ofAccount));
    return teams
      .filter((record) => record !== undefined)
      .sort((a, b) => (a.requestedAt < b.requestedAt ? 1 : -1))
      .at(0);
  }
}
