import { type DocumentRequested, streamName } from "@rubrica/events";
import type { Journal } from "@rubrica/journal";
import type { z } from "zod";

/** A document's signers, in the order of the request, as it said who they are; null once nobody can tell any more. */
export type People = z.infer<typeof DocumentRequested.personal>["signers"] | null;

/** Finds them in the document's request, which is the only place that names them. */
export const peopleIn =
  (journal: Pick<Journal, "readFirst">) =>
  async (documentId: string): Promise<People> => {
    const first = await journal.readFirst(streamName("document", documentId));
    return first?.type === "DocumentRequested" ? (first.personal?.signers ?? null) : null;
  };
