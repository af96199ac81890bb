import type { Obligation, ObligationKind, PublishedObligation } from "@rubrica/domain";
import { sample } from "@rubrica/events";
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

/** An obligation as a subscriber is given it, due since long and never attempted, but for what a test says of it. */
export const obligationOf = <Kind extends ObligationKind>(
  kind: Kind,
  other: Partial<Omit<Obligation, "kind">> = {},
): Obligation & { kind: Kind } => ({
  id: `${kind}-1`,
  kind,
  signerId: null,
  webhookType: null,
  dueAt: sample.at,
  since: sample.at,
  attempts: 0,
  reason: null,
  ...other,
});
