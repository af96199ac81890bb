import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { configFrom } from "@rubrica/config";
import { type DomainEvent, definitionOf, sample, streamName } from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";
import { openEngines } from "@rubrica/open-engines/stores";
import { createProjectionRunner } from "@rubrica/projector/running";
import { projectionsBy } from "@rubrica/read-models";
import { testRuntime } from "@rubrica/runtime/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { linesOf } from "../src/testing.ts";

const HOUR_MS = 3_600_000;
const runtime = testRuntime(1, Date.UTC(2026, 10, 21, 12));
let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "rubrica-cli-"));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const rubrica = (...args: string[]): Promise<string[]> => linesOf(args, { DATA_DIR: dataDir }, runtime);

const exampleOf = (type: DomainEvent["type"], data: object = {}): DomainEvent => {
  const { example } = definitionOf(type);
  return { type, data: { ...example.data, ...data }, personal: example.personal } as DomainEvent;
};

/** Appends a document's events, and has them projected. */
const happen = async (documentId: string, ...events: DomainEvent[]): Promise<void> => {
  const engines = await openEngines(configFrom({ DATA_DIR: dataDir }), runtime);
  const [commandId, accountId, actor] = [documentId, sample.accountId, "integrator"];
  const context = { commandId, accountId, actor, correlationId: commandId, causationId: commandId };
  await engines.journal.append(streamName("document", documentId), undefined, events, context);
  const ending = new AbortController();
  const runner = createProjectionRunner<JournalEvent>({
    projections: projectionsBy(engines.customIdHmac),
    store: engines.readModels,
    subscribe: (after, signal) => engines.journal.subscribe({ after, signal }),
    clock: runtime.clock,
    onStopped: (error) => {
      throw error;
    },
  });
  const running = runner.run(ending.signal);
  await runner.caughtUp();
  ending.abort();
  await running;
  await engines.close();
};

const requested = (documentId: string, file: object | null = sample.pdf) =>
  exampleOf("DocumentRequested", { documentId, sendMessages: false, file, pageCount: file ? 1 : null });

test("what is overdue, or failed before, is named with its attempts and reason, and nobody's name", async () => {
  const { documentId, otherDocumentId, accountId } = sample;
  const nextAttemptAt = new Date(runtime.clock.now() + 2 * HOUR_MS).toISOString();
  await happen(
    documentId,
    requested(documentId),
    exampleOf("DocumentCompleted"),
    exampleOf("SealingFailed", { attempt: 3, reason: "timestamp_unavailable", nextAttemptAt }),
  );
  await happen(otherDocumentId, requested(otherDocumentId, null));
  const failing = {
    kind: "seal",
    document_id: documentId,
    account_id: accountId,
    due: nextAttemptAt,
    attempts: 3,
    reason: "timestamp_unavailable",
  };
  const stuck = async (...args: string[]) =>
    (await rubrica("obligations", "stuck", "--json", ...args)).map((line) => JSON.parse(line));
  expect(await stuck()).toEqual([failing]);
  runtime.clock.advance(HOUR_MS);
  const waiting = { kind: "prepare", document_id: otherDocumentId, attempts: 0, reason: null };
  expect(await stuck()).toMatchObject([waiting, failing]);
  expect(await stuck("--overdue", "61")).toEqual([failing]);
  const text = (await rubrica("obligations", "stuck")).join("\n");
  expect(text).toContain("timestamp_unavailable");
  expect(text).toContain("2 stuck.");
  expect(text).not.toMatch(/Ana|3012|549/);
});
