import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { linesOf } from "@rubrica/cli/testing";
import { evolveObligations, type ObligationsRecord, obligationsRecordId } from "@rubrica/domain";
import type { DomainEvent } from "@rubrica/events";
import type { JournalEvent } from "@rubrica/journal";
import { systemRuntime } from "@rubrica/runtime";
import { eventually, outputOf, sampleSigner, temporaryFolder } from "@rubrica/test-kit";
import { hasEngines } from "@rubrica/test-kit/deployment";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callReceiver } from "../support/call-receiver.ts";
import { startFormerEngines } from "../support/former/engines.ts";
import { type FormerFolder, formerEnvironment, owedIn, receiverPort } from "../support/former/folder.ts";
import { type Inspection, inspect } from "../support/inspection.ts";
import { serviceInProcess, type TestService } from "../support/service.ts";
import { TravelClock } from "../support/travel-clock.ts";

/**
 * The releases of which there is what they stored, by their commits: a data folder, or one with what engines over the wire
 * held. `test/support/former/make.ts` makes one more.
 */
const releases = [
  { release: "2029d91", onEngines: false, owed: ["webhook", "webhook", "seal"] },
  { release: "a4b03c1", onEngines: true, owed: ["webhook", "webhook"] },
];
const DAY_MS = 24 * 3_600_000;
const fixtures = join(import.meta.dirname, "..", "support", "former");

describe.each(releases.filter(({ onEngines }) => !onEngines || hasEngines()))(
  "what $release stored, on engines: $onEngines",
  (at) => {
    const name = at.onEngines ? `${at.release}-engines` : at.release;
    const former: FormerFolder = JSON.parse(readFileSync(join(fixtures, `${name}.json`), "utf8"));
    const documents = Object.entries(former.documents);
    const idOf = (name: string): string => former.documents[name]?.id ?? "";
    const cleanup = new AsyncDisposableStack();
    const clock = new TravelClock(Date.parse(former.madeAt));
    let dataDir: string;
    let environment: Readonly<Record<string, string>>;
    let receiver: Awaited<ReturnType<typeof callReceiver>>;
    let inspection: Inspection;
    let service: TestService;
    /** What today's code makes of the events that the former read model had seen. */
    const folded = new Map<string, ObligationsRecord>();

    beforeAll(async () => {
      const folder = cleanup.use(temporaryFolder());
      dataDir = join(folder.path, "data");
      const unpacked = outputOf("tar", "-xzf", join(fixtures, `${name}.tar.gz`), "-C", folder.path);
      expect(unpacked).toMatchObject({ code: 0 });
      const engines = at.onEngines ? cleanup.use(await startFormerEngines(folder.path)) : undefined;
      environment = { ...formerEnvironment, ...engines?.environment };
      inspection = cleanup.use(await inspect({ DATA_DIR: dataDir, ...environment }));
      for (const event of await inspection.events()) {
        if (event.position.commit > former.projectedTo) break;
        const id = obligationsRecordId(event as JournalEvent & DomainEvent);
        if (id === undefined) continue;
        const record = evolveObligations(folded.get(id) ?? null, event as JournalEvent & DomainEvent);
        if (record) folded.set(id, record);
      }
      receiver = cleanup.use(await callReceiver(receiverPort));
      const runtime = { ...systemRuntime(), clock };
      service = cleanup.use(await serviceInProcess({ dataDir, runtime, environment }));
    });
    afterAll(() => cleanup.disposeAsync());

    const file = async (name: string) => {
      const answer = await service.client.read(`/api/v2/documents/${idOf(name)}`);
      return answer.status === 200 && answer.bytes;
    };
    /** Runs the CLI on the folder, and gives what it printed. */
    const rubrica = async (...args: string[]): Promise<string> =>
      (await linesOf(args, { DATA_DIR: dataDir, ...environment }, { ...systemRuntime(), clock })).join("\n");
    const messages = async () => {
      const asked = Object.keys(former.messages).map(
        async (phone) => [phone, await service.client.messagesTo(phone)] as const,
      );
      return Object.fromEntries(await Promise.all(asked));
    };

    test("owes what it owed then, field by field", () => {
      const today = Object.fromEntries([...folded].map(([id, record]) => [id, owedIn(record)]));
      expect(today).toMatchObject(former.obligations);
      const kinds = Object.values(former.obligations).flatMap((all) => all.map(({ kind }) => kind));
      expect(kinds).toEqual(at.owed);
    });

    test("is told as it was told then", async () => {
      for (const [name, { answers }] of documents) {
        for (const [path, { status, body }] of Object.entries(answers)) {
          const answer = await service.client.read(path);
          expect([answer.status, answer.json()], `${name}: ${path}`).toMatchObject([status, body]);
        }
      }
    });

    test("has the files that were sealed, which are valid, and the reports", async () => {
      // What stands in no signed head yet, as the former release signed none, is not proven by the record alone.
      await rubrica("audit", "head");
      const sealed = documents.filter(([, { sealedSha256 }]) => sealedSha256 !== null);
      expect(sealed.map(([name]) => name)).toEqual(["sealed", "owing"]);
      for (const [name, { sealedSha256 }] of sealed) {
        const bytes = await file(name);
        expect(
          createHash("sha256")
            .update(bytes || "")
            .digest("hex"),
        ).toBe(sealedSha256);
        const verdict = await service.client.send("POST", "/api/verify", bytes, { "content-type": "application/pdf" });
        expect(verdict.json()).toMatchObject({
          verdict: "valid",
          document: { id_seguimiento: idOf(name), chain_intact: true },
        });
      }
      for (const name of ["sealed", "rejected", "owing"])
        expect((await service.client.read(`/api/v2/reporte/${idOf(name)}`)).status).toBe(200);
    });

    test("is gone on with: what was owed is done once, and nothing that was done is done again", async () => {
      const { client } = service;
      await client.sign(former.documents.halfSigned?.links[1] ?? "");
      await client.reject(former.documents.holding?.links[0] ?? "");
      for (const name of ["halfSigned", "unsealed"]) await eventually(`${name} to be sealed`, () => file(name));
      const phone = sampleSigner(4).phone;
      const held = former.messages[phone]?.length ?? 0;
      await eventually("the turn of who waited", async () => (await client.messagesTo(phone)).length > held);
      await client.sign(former.documents.queued?.links[0] ?? "");
      await eventually("the last one to be sealed", () => file("queued"));
      clock.passes(DAY_MS);
      // The read model that tells what is due may not have the last seal yet: then its copy is not among it.
      await eventually("the last copy", async () => (await client.messagesTo(phone)).length === held + 2);
      const due = async () =>
        (await inspection.openObligations()).filter(({ dueAt }) => Date.parse(dueAt) <= clock.now());
      await eventually("nothing to be due", async () => (await due()).length === 0);

      // Who signed what today's code sealed is sent a copy; nobody else is told anything anew but who waited.
      const news = Object.entries(await messages()).map(([phone, all]) => {
        const before = former.messages[phone] ?? [];
        expect(all.slice(0, before.length)).toEqual(before);
        return [phone, all.slice(before.length).map(({ text }) => text)];
      });
      const copy = (number: number) =>
        expect.stringMatching(`${sampleSigner(number).name}: .*ya tiene todas las firmas`);
      const turn = expect.stringMatching(`${sampleSigner(5).name}: .*¿Desea continuar`);
      const none = Object.keys(former.messages).map((phone) => [phone, []]);
      expect(Object.fromEntries(news)).toEqual({
        ...Object.fromEntries(none),
        ...Object.fromEntries([2, 3, 8].map((number) => [sampleSigner(number).phone, [copy(number)]])),
        [sampleSigner(4).phone]: [turn, copy(5)],
      });
      const owed = Object.entries(former.obligations).flatMap(([documentId, all]) =>
        all.flatMap(({ id, webhookType }) => (webhookType ? [{ documentId, id, status: 200, type: webhookType }] : [])),
      );
      expect(receiver.calls.toSorted((a, b) => (a.type < b.type ? -1 : 1))).toEqual(
        owed.toSorted((a, b) => ((a.type ?? "") < (b.type ?? "") ? -1 : 1)),
      );

      expect(await rubrica("audit", "verify")).toContain("every chain holds");
    });
  },
);
