import type { PublishedObligation } from "@rubrica/domain";
import type { Journal } from "@rubrica/journal";
import { obligations } from "@rubrica/read-models";

/** All that is owed by the journal's documents, due or not, as the publisher publishes it. */
export const owedIn = async (journal: Journal): Promise<PublishedObligation[]> => {
  const recorded = [];
  for await (const event of journal.store.readAll()) recorded.push(event);
  const records = new Map<string, ReturnType<typeof obligations.project>>();
  for (const event of await journal.restore(recorded))
    for (const id of obligations.keysOf(event))
      records.set(id, obligations.project(records.get(id) ?? null, event, id));
  return [...records.values()].flatMap((record) => {
    if (!record) return [];
    const { documentId, accountId, open } = record;
    return open.map((obligation) => ({ obligation, documentId, accountId }));
  });
};
