import { type DocumentRequested, namedSigners, streamName } from "@rubrica/events";
import { type Journal, type JournalEvent, UnreadableStreamError } from "@rubrica/journal";
import type { CorrectedSigner } from "@rubrica/read-models";
import type { z } from "zod";

type Reading = Pick<Journal, "readFirst" | "read">;
type Personal = z.infer<typeof DocumentRequested.personal>;

/** A signer as they are named. */
export type Person = Personal["signers"][number];

/** A document's signers by their ids, as they are named; null once nobody can tell any more. */
export type People = ReadonlyMap<string, Person> | null;

/** What a document is called, and its people. */
export type Names = { documentName: string; people: NonNullable<People> } | null;

const requestOf = async (journal: Reading, documentId: string) => {
  const first = await journal.readFirst(streamName("document", documentId));
  return first?.type === "DocumentRequested" ? first : null;
};

type Requested = Extract<JournalEvent, { type: "DocumentRequested" }>;

/** The people of a request, then as they are named after each correction. */
const peopleAfter = async (
  journal: Reading,
  request: Requested,
  corrections: readonly CorrectedSigner[],
): Promise<People[]> => {
  const { documentId, signers } = request.data;
  const allOf = (people: ReadonlyMap<string, Person>): People => (people.size === signers.length ? people : null);
  const requested = namedSigners(request).flatMap(({ signerId, person }) =>
    person ? [[signerId, person] as const] : [],
  );
  const history: People[] = [allOf(new Map(requested))];
  for (const { signerId, revision } of corrections) {
    const named = await namedAt(journal, documentId, revision);
    const people = new Map(history.at(-1));
    if (named) people.set(signerId, named);
    else people.delete(signerId);
    history.push(allOf(people));
  }
  return history;
};

const namedAt = async (journal: Reading, documentId: string, revision: string) => {
  for await (const event of journal.read(streamName("document", documentId), BigInt(revision)))
    return event.type === "SignerCorrected" ? event.personal?.after : undefined;
  return undefined;
};

/** Finds them in the document's request, and in the events that corrected them, which are the only places that name them. */
export const peopleIn =
  (journal: Reading) =>
  async (documentId: string, corrections: readonly CorrectedSigner[]): Promise<readonly People[]> => {
    const request = await requestOf(journal, documentId);
    return request ? peopleAfter(journal, request, corrections) : [];
  };

/** Finds names there too; null also where they can't be read, so that one document takes no list away. */
export const namesIn =
  (journal: Reading) =>
  async (documentId: string, corrections: readonly CorrectedSigner[]): Promise<Names> => {
    try {
      const request = await requestOf(journal, documentId);
      if (!request?.personal) return null;
      const people = (await peopleAfter(journal, request, corrections)).at(-1);
      return people ? { documentName: request.personal.documentName, people } : null;
    } catch (error) {
      if (error instanceof UnreadableStreamError) return null;
      throw error;
    }
  };

/** Finds why a document ended, in the words of who ended it, in the event of that revision; null where there are none. */
export const reasonIn =
  (journal: Pick<Journal, "read">) =>
  async (documentId: string, revision: string): Promise<string | null> => {
    try {
      for await (const event of journal.read(streamName("document", documentId), BigInt(revision))) {
        if (event.type === "Rejected") return event.personal?.reason ?? null;
        return event.type === "DocumentWithdrawn" ? (event.personal?.text ?? null) : null;
      }
      return null;
    } catch (error) {
      if (error instanceof UnreadableStreamError) return null;
      throw error;
    }
  };
