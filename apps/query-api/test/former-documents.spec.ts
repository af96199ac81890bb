import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  documentFold,
  evolveObligations,
  type Obligation,
  type ObligationsRecord,
  obligationsRecordId,
} from "@rubrica/domain";
import { type DocumentEvent, type DomainEvent, restored } from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";
import { expect, test } from "vitest";
import { world } from "./world.ts";

/**
 * Open documents of a data folder, as the version before documents could be canceled had written them, what each owed
 * after each event, and what was answered: asked, in line, continued, refused, out of reach, one of two signed, without
 * messages, legacy.
 */
interface Step {
  event: Omit<JournalEvent, "revision" | "position"> & {
    revision: number;
    position: { commit: number; prepare: number };
  };
  open: Omit<Obligation, "receiver">[];
}
interface Answered {
  path: string;
  body: object;
}
const former: (Step | Answered)[] = readFileSync(
  join(import.meta.dirname, "fixtures", "former-documents.jsonl"),
  "utf8",
)
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
const answers = former.filter((line) => "path" in line);

const steps = former
  .filter((line) => "event" in line)
  .map(({ event: stored, open }) => {
    const { type, metadata, revision, position, ...rest } = stored;
    const { data, personal } = restored(type, { data: rest.data, personal: rest.personal }, metadata.schemaVersion);
    const numbers = {
      revision: BigInt(revision),
      position: { commit: BigInt(position.commit), prepare: BigInt(position.prepare) },
    };
    return { event: { ...rest, type, metadata, ...numbers, data, personal } as JournalEvent, open };
  });

test("open documents of before owe what they owed, by the same ids, and what a refusal ends with beside it", () => {
  const records = new Map<string, ObligationsRecord>();
  for (const { event, open } of steps) {
    const id = obligationsRecordId(event as JournalEvent & DomainEvent) ?? "";
    const record = evolveObligations(records.get(id) ?? null, event as JournalEvent & DomainEvent);
    if (record) records.set(id, record);
    const isNew = (kind: string) => kind === "end-refusal";
    const owed = record?.open.filter(({ kind }) => !isNew(kind)) ?? [];
    expect(owed).toEqual(open);
  }
});

test("their deciders stand where they stood: all can be signed by whoever has not", () => {
  const documents = new Map<string, ReturnType<typeof documentFold.evolve>>();
  for (const { event } of steps.filter((step) => step.event.streamKind === "document")) {
    const before = documents.get(event.streamId) ?? documentFold.initial;
    documents.set(event.streamId, documentFold.evolve(before, event as JournalEvent & DocumentEvent));
  }
  for (const document of documents.values()) {
    expect(document).toMatchObject({ status: "pending", expiresAt: null, reminders: null, refusalHours: 72 });
    const signers = document.status === "none" ? [] : document.signers;
    expect(signers.map(({ group }) => group)).toEqual(signers.map(({ order }) => order));
  }
});

test.each(answers)("$path is answered as it was", async ({ path, body }) => {
  const made = world();
  made.history.events.push(...steps.map(({ event }) => event));
  expect((await made.get(path)).json()).toEqual(body);
});
