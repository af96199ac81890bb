import { type DocumentRequested, streamName } from "@rubrica/events";
import { type Journal, UnreadableStreamError } from "@rubrica/journal";
import type { z } from "zod";

type Personal = z.infer<typeof DocumentRequested.personal>;

/** A document's signers, in the order of the request, as it said who they are; null once nobody can tell any more. */
export type People = Personal["signers"] | null;

/** What a document is called, and its people. */
export type Names = Pick<Personal, "documentName" | "signers"> | null;

const personalOf = async (journal: Pick<Journal, "readFirst">, documentId: string): Promise<Personal | null> => {
  const first = await journal.readFirst(streamName("document", documentId));
  return first?.type === "DocumentRequested" ? first.personal : null;
};

/** Finds them in the document's request, which is the only place that names them. */
export const peopleIn =
  (journal: Pick<Journal, "readFirst">) =>
  async (documentId: string): Promise<People> =>
    (await personalOf(journal, documentId))?.signers ?? null;

/** Finds names there too; null also where it can't be read, so that one document takes no list away. */
export const namesIn =
  (journal: Pick<Journal, "readFirst">) =>
  async (documentId: string): Promise<Names> => {
    try {
      return await personalOf(journal, documentId);
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
