import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { catalogue, type StreamKind, sample, streamKinds } from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";
import { History, projected } from "@rubrica/test-kit/history";
import { expect, test } from "vitest";
import { type Projection, projectionsBy } from "../../src/index.ts";

/** What each projection makes of the catalogue's examples, as a hash, and the version that made it so. */
const made: Readonly<Record<string, string>> = {
  accounts: "2 e35ba4ab8da08aa4",
  analytics: "4 9e21650760980f84",
  "api-keys": "1 95a5af1a08b6e7a5",
  "bulk-obligations": "4 712e508d225e469d",
  "custom-ids": "2 47cbdf075b8165a1",
  documents: "5 ca980ea02bbc7a8e",
  "event-log": "5 a10add607ffcb28d",
  "heads-obligations": "1 535afb1076c39a86",
  "listed-documents": "2 4c3764df8d3e919e",
  "notices-obligations": "2 50836e7e13c9cb7a",
  obligations: "18 d57560e62bfc853f",
  quarantine: "1 62f5adae538d5059",
  "sealed-files": "2 93fdfba8414c6be3",
  "sent-messages": "2 5c037ab906470df3",
  webhooks: "2 283c038379fb1da0",
};

const HOW = `A projection makes something else of the same events, or is kept in another way. Raise its \`version\` in
packages/read-models/src/projections/, so that it is built anew wherever it was built before, then write the version and
hash that were received into this test. Where nothing but an event's example changed, or all that is new is an event that
no release has written, the hash alone.`;

const idOf: Readonly<Partial<Record<StreamKind, string>>> = {
  account: sample.accountId,
  bulk: sample.bulkId,
  phoneLine: sample.lineId,
};
/** A document as it was asked for, and as it was sealed. */
const beginnings = [
  ["DocumentRequested"],
  ["DocumentRequested", "TurnTaken", "SignerTurnCame", "DocumentSigned", "DocumentCompleted", "DocumentSealed"],
] as const;

/** After each beginning, each event that there is, by itself; not a document's: after the first of its stream. */
const histories = (): JournalEvent[][] =>
  streamKinds.flatMap((kind) =>
    catalogue[kind].flatMap(({ type }) =>
      beginnings.map((beginning) => {
        const history = new History();
        for (const before of beginning) history.add(before);
        const stream = { kind, id: idOf[kind] ?? sample.documentId };
        const opening = catalogue[kind][0]?.type;
        for (const next of kind === "document" || opening === type ? [type] : [opening, type])
          history.add(next as "DocumentRequested", {}, stream);
        return history.events;
      }),
    ),
  );

/** In which order a record's fields were set does not matter. */
const inOrder = (_key: string, value: unknown): unknown => {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
};

const hashOf = (projection: Projection): string => {
  const hash = createHash("sha256");
  const put = (part: unknown): void => void hash.update(`${JSON.stringify(part, inOrder)}\n`);
  put([projection.indexes, "kinds" in projection ? projection.kinds : []]);
  for (const events of histories()) {
    const records = projected(projection, events);
    // Of an event of which it makes nothing it says nothing: so a new one leaves the hash as it was.
    if (isDeepStrictEqual(records, projected(projection, events.slice(0, -1)))) continue;
    for (const [id, document] of records)
      put([id, document, projection.partsOf?.(document), projection.rowsOf?.(document)]);
  }
  return hash.digest("hex").slice(0, 16);
};

test("a projection that makes something else of the same events has another version", () => {
  const projections = projectionsBy((accountId, idCustom) => `${accountId}/${idCustom}`);
  const found = projections.map((one) => [one.name, `${one.version} ${hashOf(one)}`]);
  expect(Object.fromEntries(found), HOW).toEqual(made);
});
