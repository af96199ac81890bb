import { comparePositions, type Position, type StreamEnd } from "@rubrica/event-store";
import { streamName } from "@rubrica/events";
import { NotYetThere } from "@rubrica/http";
import { UnreadableStreamError } from "@rubrica/journal";
import {
  type Collection,
  type CustomIdRecord,
  customIds,
  type Projection,
  type SetAsideRecord,
  type StoredDocument,
  setAsideIn,
  unnamedOf,
} from "@rubrica/read-models";
import type { QueryApiDependencies } from "./dependencies.ts";
import { ownerOf } from "./owner.ts";
import { FRESHNESS_TIMEOUT_MS } from "./up-to-now.ts";

/** No id is longer. */
const MAX_ID_LENGTH = 256;

/** Document ids as Rubrica makes them: others are never looked for in the event store. */
const DOCUMENT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What the documents of a collection that is found by document must tell. */
export type DocumentView = { documentId: string; accountId: string };

/** Where views are, by the documents' ids. */
type Viewed<View extends DocumentView> = Collection<View> & Pick<Projection, "sparse">;

/** A document, and the signer whose `id_custom` it was asked by; null when it was asked by its own id. */
export interface Found<View extends DocumentView> {
  view: View;
  signerId: string | null;
}

/** A question for a document: who asks for what, and until when (by the monotonic clock) it may wait. */
interface Search<View extends DocumentView> {
  collection: Viewed<View>;
  callerAccountId: string;
  untilMs: number;
}

/**
 * Finds a document's view by `id_seguimiento` or a signer's `id_custom`, for a caller who sees every command that was
 * answered before the question, or is told to come again.
 *
 * A foreign document takes the way of an unknown one from where its owner is known: same steps, same wait, same answer.
 */
export class DocumentFinder {
  readonly #dependencies: QueryApiDependencies;

  constructor(dependencies: QueryApiDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * The view of a collection, or undefined when the id is unknown or the document not the caller's to read.
   * @throws {NotYetThere} when the read models don't come up in time to a document that is the caller's to read; and to
   * what an `id_custom` means, whether there is one or not.
   * @throws {UnreadableStreamError} when it holds an event that can't be read: to whom it belongs, and to everybody when
   * nothing of it tells that any more. Of an `id_custom` that is not known, when it may be that of such a document.
   */
  async find<View extends DocumentView>(
    collection: Viewed<View>,
    id: string,
    callerAccountId: string,
  ): Promise<Found<View> | undefined> {
    if (id.length > MAX_ID_LENGTH) return undefined;
    const untilMs = this.#dependencies.clock.monotonicMs() + FRESHNESS_TIMEOUT_MS;
    const search = { collection, callerAccountId, untilMs };
    const view = DOCUMENT_ID.test(id) ? await this.#byDocumentId(search, id) : undefined;
    return view ? { view, signerId: null } : this.#byCustomId(search, id);
  }

  async #byDocumentId<View extends DocumentView>(search: Search<View>, id: string): Promise<View | undefined> {
    const { events, readModels, accounts } = this.#dependencies;
    const stream = streamName("document", id);
    const [end, stored] = await Promise.all([events.streamEnd(stream), readModels.get(search.collection, id)]);
    if (!end) return undefined;
    const accountId = stored?.document.accountId ?? (await ownerOf(events, id));
    if (accountId !== null && !(await accounts.sameTeam(search.callerAccountId, accountId))) return undefined;
    if (stored && isUpTo(stored, end)) return stored.document;
    const isReached = await this.#waitFor(search.collection, end.position, search);
    const awaited = await readModels.get(search.collection, id);
    if (awaited && isUpTo(awaited, end)) return awaited.document;
    const setAside = await setAsideIn(readModels, search.collection, stream);
    if (setAside) throw unreadable(setAside);
    // What came after its position left it as it was.
    if (isReached && awaited && search.collection.sparse) return awaited.document;
    // The record is older than what was answered before, or not there yet, for whatever reason.
    throw new NotYetThere(await this.#dependencies.freshness.leftMs(search.collection, end.position));
  }

  async #byCustomId<View extends DocumentView>(
    search: Search<View>,
    idCustom: string,
  ): Promise<Found<View> | undefined> {
    const last = await this.#dependencies.events.lastPosition();
    // A newer document with that id may not be projected yet.
    if (last && !(await this.#waitFor(customIds, last, search)))
      throw new NotYetThere(await this.#dependencies.freshness.leftMs(customIds, last));
    const meant = await this.#meantBy(idCustom, search.callerAccountId);
    if (!meant) return this.#unknown(search);
    const view = await this.#byDocumentId(search, meant.documentId);
    return view && { view, signerId: meant.signerId };
  }

  /** Undefined for an unknown id; throws where it may be the id of a document that can't be read. */
  async #unknown({ callerAccountId }: { callerAccountId: string }): Promise<undefined> {
    const { readModels, accounts } = this.#dependencies;
    const unnamed = await unnamedOf(readModels, [callerAccountId, ...(await accounts.teammatesOf(callerAccountId))]);
    if (unnamed) throw unreadable(unnamed);
  }

  #waitFor(projection: Collection, position: Position, { untilMs }: { untilMs: number }): Promise<boolean> {
    const { clock, freshness } = this.#dependencies;
    return freshness.waitFor(projection, position, Math.max(0, untilMs - clock.monotonicMs()));
  }

  /** The caller's own signer of that id, else the one of the team's newest document. */
  async #meantBy(idCustom: string, callerAccountId: string): Promise<CustomIdRecord | undefined> {
    const { readModels, accounts, customIdHmac } = this.#dependencies;
    const ofAccount = async (accountId: string) =>
      (await readModels.get(customIds, customIdHmac(accountId, idCustom)))?.document;
    const own = await ofAccount(callerAccountId);
    if (own) return own;
    const teams = await Promise.all((await accounts.teammatesOf(callerAccountId)).map(ofAccount));
    return teams
      .filter((record) => record !== undefined)
      .sort((a, b) => (a.requestedAt < b.requestedAt ? 1 : -1))
      .at(0);
  }
}

const unreadable = ({ revision, ...setAside }: SetAsideRecord): UnreadableStreamError =>
  new UnreadableStreamError({ ...setAside, revision: BigInt(revision) });

const isUpTo = ({ position }: StoredDocument, end: StreamEnd): boolean => comparePositions(position, end.position) >= 0;
