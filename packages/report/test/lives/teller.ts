import { openEmbeddedEventStore } from "@rubrica/event-store/embedded";
import { sample, streamName } from "@rubrica/events";
import { Journal, type StreamEnd } from "@rubrica/journal";
import { type Clock, systemClock, systemRuntime } from "@rubrica/runtime";
import { createSecrets } from "@rubrica/secrets";
import { openMemoryFileStore } from "@rubrica/storage";
import { openEmbeddedKeyStore } from "@rubrica/storage/embedded";
import type { World } from "@rubrica/test-kit/report/world";
import { contentOf } from "../../src/content/content.ts";
import { ActiveContents } from "../../src/evidence/active-content.ts";
import { EvidenceFiles } from "../../src/evidence/files.ts";
import { gatherEvidence, type Sources } from "../../src/evidence/gather.ts";
import { spanish } from "../../src/spanish.ts";
import type { Life } from "./entries.ts";
import { type SaidSection, sectionsOf } from "./said.ts";

/**
 * What a report says of a document that had this life and no other, by its sections; null where there is no report of
 * it. Each life has stores of its own, and the report its own time.
 */
export const tell = async (
  { pdf, identity, images }: Pick<World, "pdf" | "identity" | "images">,
  { documentId, entries, files, erased }: Life,
): Promise<SaidSection[] | null> => {
  const system = systemRuntime();
  let now = 0;
  const clock: Clock = { ...systemClock, now: () => now };
  const { random } = system;
  const secrets = createSecrets({ current: random.bytes(32) });
  await using opened = new AsyncDisposableStack();
  const closing = <Store extends { close(): Promise<void> }>(store: Store): Store =>
    opened.adopt(store, (open) => open.close());
  const keys = closing(openEmbeddedKeyStore({ path: ":memory:", secrets, random, clock }));
  const kept = closing(openMemoryFileStore({ keys, random }));
  const events = closing(openEmbeddedEventStore({ path: ":memory:", clock, random }));
  const journal = new Journal(events, keys, { ...system, clock });
  for (const { bytes, mediaType } of files) await kept.put(documentId, bytes, mediaType);
  let end: StreamEnd | undefined;
  for (const { event, actor, at } of entries) {
    now = at;
    const commandId = system.ids.uuidv7();
    const context = { commandId, accountId: sample.accountId, actor, correlationId: "c", causationId: "c" };
    const last = (await journal.append(streamName("document", documentId), end, [event], context)).at(-1);
    end = last && { revision: last.revision, at: last.metadata.at, hash: last.metadata.hash };
  }
  if (erased) await keys.destroy(documentId);
  const activeContents = new ActiveContents(pdf);
  const sources: Sources = {
    journal,
    known: keys.log,
    files: new EvidenceFiles(kept, images),
    activeContents,
    caller: "test",
    identity,
    clock,
  };
  const evidence = await gatherEvidence(sources, documentId);
  if (!evidence) return null;
  const circumstances = { verifyUrl: "https://sign.example/verify", rootUrl: null, now };
  return sectionsOf(contentOf(evidence, circumstances, spanish));
};
