import { loadOrCreateSigningIdentity } from "@rubrica/pdf";
import { type Clock, systemRandom } from "@rubrica/runtime";
import { temporaryFolder, toolsMissing } from "@rubrica/test-kit";
import { impatient } from "@rubrica/test-kit/pdf/clocks";
import { startTimestampServer } from "@rubrica/test-kit/pdf/timestamp-server";
import { tell } from "@rubrica/test-kit/report/story";
import { openWorld, type World } from "@rubrica/test-kit/report/world";
import { expect, test } from "vitest";
import { createReports } from "../../src/index.ts";

const MINUTE_MS = 60_000;

const plain = [{ kind: "signature", intact: true, timestamped: false }];
const archived = [
  { kind: "signature", intact: true, timestamped: true },
  { kind: "document_timestamp", intact: true, timestamped: false },
];

const sealsOf = async ({ pdf, identity }: World, report: Uint8Array) => {
  const { signatures } = await pdf.verify(report, identity.issuers);
  return signatures.map(({ kind, intact, timestampedAt }) => ({ kind, intact, timestamped: timestampedAt !== null }));
};

test.skipIf(toolsMissing("openssl"))(
  "a report has a seal of the documents' level; while no timestamp is to be had, one without, and nobody waits for it",
  async () => {
    using folder = temporaryFolder();
    await using world = await openWorld();
    const server = await startTimestampServer(folder.path);
    let passedMs = 0;
    const standing = impatient();
    // The authority tells the machine's time; the world's stands still.
    const clock: Clock = { ...standing, monotonicMs: () => standing.monotonicMs() + passedMs };
    const identity = await loadOrCreateSigningIdentity(folder.path, "http://localhost:3000", clock, systemRandom);
    const timestamps = { urls: [server.url] };
    const reports = createReports({ ...world, clock, identity, timestamps, publicUrl: "https://sign.example" });
    const { documentId } = await tell(world, { people: [{ name: "Ana Paz" }] });
    const seals = async () => sealsOf(world, await reports.build(documentId, "somebody"));
    try {
      // A trial needs none.
      expect(await reports.rehearse(documentId, "somebody")).toBeGreaterThan(10_000);
      expect(server.requests).toBe(0);
      expect(await seals()).toEqual(archived);
      server.answer = () => ({ status: 503, body: Buffer.from("closed") });
      expect(await seals()).toEqual(plain);
      const { requests } = server;
      server.answer = server.timestamp;
      expect(await seals()).toEqual(plain);
      expect(server.requests).toBe(requests);
      passedMs += MINUTE_MS;
      expect(await seals()).toEqual(archived);
    } finally {
      await reports.close();
      await server.close();
    }
  },
);
