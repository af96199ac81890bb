import { type DocumentAccepted, eventually, samplePdf, sampleSigner, toolsMissing } from "@rubrica/test-kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BulkEntry, callOf, preparedPdf, rowOf, sendBulk } from "../../support/bulk.ts";
import { inspect } from "../../support/inspection.ts";
import { integrator } from "../../support/integrator.ts";
import { askedOn, linkFor, recorded, templateFor } from "../../support/messages.ts";
import { differentPhotos, requestPhotographed } from "../../support/photographed.ts";
import type { Place } from "../../support/place.ts";

const CRASHED_DOCUMENTS = 24;
const CONCURRENCY = 4;
const REPEATED_READS = 10;

let signers = 0;
/** A signer on a phone that no other scenario uses. */
const newSigner = () => sampleSigner(++signers);
const linkOf = ({ urls }: DocumentAccepted, index = 0): string => urls[index]?.link ?? "";

/** What a whole service does, whatever its processes and engines are. `start` starts it, for all of the suite. */
export const endToEnd = <Started extends Place>(start: () => Promise<Started>): (() => Started) => {
  let place: Started;
  beforeAll(async () => {
    place = await start();
  });
  afterAll(() => place?.[Symbol.asyncDispose]());

  const sealed = (id: string): Promise<Buffer> =>
    eventually("the sealed PDF", async () => {
      const { status, bytes } = await place.client.read(`/api/v2/documents/${id}`);
      return status === 200 && bytes;
    });

  describe("end to end", () => {
    test("the main job: requested, asked, signed, sealed, verified, told, and in a report", async () => {
      const { client } = place;
      const signer = newSigner();
      const accepted = await client.requestDocument(await samplePdf(), [signer], { document_name: "Lease" });
      const { id_seguimiento: id } = accepted;
      const link = linkOf(accepted);
      expect(link.startsWith(`${place.url.replace("127.0.0.1", new URL(link).hostname)}/s/`)).toBe(true);
      const asked = await templateFor(client, signer.phone, "Lease");
      await recorded(client, id, "msg_delivered");
      await client.press(asked.id, "continue");
      await linkFor(client, signer.phone, link);
      await recorded(client, id, "signature_link_sent");
      const page = await client.read(new URL(link).pathname);
      expect([page.status, page.text]).toEqual([200, expect.stringContaining("<title>Firma electrónica</title>")]);
      await client.sign(link);
      expect(await client.status(id)).toMatchObject({ is_finished: true });
      const file = await sealed(id);
      const checked = await client.send("POST", "/api/verify", file, { "content-type": "application/pdf" });
      expect(checked.json()).toMatchObject({ verdict: "valid", document: { id_seguimiento: id, chain_intact: true } });
      expect(await client.eventNames(id)).toEqual([
        "msg_delivered",
        "template_response",
        "signature_link_sent",
        "document_signed",
      ]);
      const report = await client.read(`/api/v2/reporte/${id}`);
      expect([report.status, report.text.slice(0, 5)]).toEqual([200, "%PDF-"]);
    });

    test("a phone's second document waits, and is asked for by itself once the first is signed", async () => {
      const { client } = place;
      const signer = newSigner();
      const first = await client.requestDocument(await samplePdf(), [signer], { document_name: "First document" });
      const second = await client.requestDocument(await samplePdf(), [signer], { document_name: "Second document" });
      expect(second.urls).toMatchObject([{ queued: true, queued_behind: first.id_seguimiento }]);
      await templateFor(client, signer.phone, "First document");
      expect(await askedOn(client, signer.phone)).toBe(1);
      await client.sign(linkOf(first));
      await templateFor(client, signer.phone, "Second document");
      await client.sign(linkOf(second));
      const third = await client.requestDocument(await samplePdf(), [signer]);
      expect(third.has_queued_signers).toBe(false);
    });

    test("a GET sees every command that was answered before it, whichever processes answer", async () => {
      const { client } = place;
      const pdf = await samplePdf();
      for (let round = 0; round < REPEATED_READS; round++) {
        const accepted = await client.requestDocument(pdf, [newSigner()]);
        const idCustom = accepted.urls[0]?.id_custom ?? "";
        expect(await client.status(accepted.id_seguimiento)).toMatchObject({ is_finished: false });
        expect(await client.status(idCustom)).toMatchObject({ is_finished_mission: false });
        await client.sign(linkOf(accepted));
        expect(await client.status(accepted.id_seguimiento)).toMatchObject({ is_finished: true });
        expect(await client.eventNames(idCustom)).toContain("document_signed");
      }
    });

    test.skipIf(toolsMissing("soffice"))("a bulk call's rows are prepared, each its own, and signed", async () => {
      const { client } = place;
      const answer = await sendBulk(client, callOf([1, 2, 3].map((number) => rowOf(9_000 + number))));
      const entries = answer.json<BulkEntry[]>();
      expect(entries).toHaveLength(3);
      const files = await Promise.all(entries.map((entry) => preparedPdf(client, entry)));
      expect(new Set(files.map((file) => file.toString("latin1"))).size).toBe(3);
      for (const { link } of entries) await client.sign(link);
      await Promise.all(entries.map(({ id_custom }) => sealed(String(id_custom))));
    });

    test("photos are validated before their signer signs", async () => {
      const { client } = place;
      const document = await requestPhotographed({ client, dataDir: place.stores });
      expect((await client.postSignature(document.link)).status).toBe(409);
      await document.upload(await differentPhotos());
      await document.validated();
      await client.sign(document.link);
      await sealed(document.id);
      const photo = `/api/v2/signers/${document.id}/metadata`;
      expect((await client.read(photo)).status).toBe(200);
    });

    test("callbacks tell what came of a document, once it can be downloaded", async () => {
      const { client } = place;
      await using receiver = await integrator(async (type, { id_seguimiento }) => {
        if (type !== "alert") return;
        const file = await client.read(`/api/v2/documents/${id_seguimiento}`);
        expect([file.status, file.bytes.subarray(0, 5).toString()]).toEqual([200, "%PDF-"]);
      });
      const webhook = { webhook_url: receiver.url };
      const signed = await client.requestDocument(await samplePdf(), [newSigner()], webhook);
      await client.sign(linkOf(signed));
      const rejected = await client.requestDocument(await samplePdf(), [newSigner()], webhook);
      await client.reject(linkOf(rejected));
      const unreachable = newSigner();
      await client.setReachable(unreachable.phone, false);
      await client.requestDocument(await samplePdf(), [unreachable], webhook);
      const types = ["alert", "report", "rejection", "msg"];
      const told = await Promise.all(types.map((type) => receiver.callback(type)));
      expect(told.map(({ failure }) => failure)).toEqual(types.map(() => undefined));
    });

    test("what can't be done is refused alike by every process", async () => {
      const { client } = place;
      const refused = async () => ({
        stranger: (await client.send("GET", "/api/v2/signatureStatus/x", undefined, { "x-api-key": "none" })).status,
        unknown: (await client.read("/api/v2/documents/019aa5c0-0000-7000-8000-0000000000ff")).status,
        nothing: (await client.send("POST", "/api/v2/documentSet", {})).status,
        nowhere: (await client.read("/api/none")).status,
      });
      const expected = { stranger: 401, unknown: 404, nothing: 400, nowhere: 404 };
      expect([await refused(), await refused()]).toEqual([expected, expected]);
      const document = await client.requestDocument(await samplePdf(), [newSigner()]);
      await client.reject(linkOf(document));
      expect((await client.postSignature(linkOf(document))).status).toBe(409);
    });

    test("a request that is sent again with its key is answered as before, by whichever process", async () => {
      const { client } = place;
      const body = {
        document: (await samplePdf()).toString("base64"),
        datos_firmantes: [newSigner()],
      };
      const send = () => client.send("POST", "/api/v2/documentSet", body, { "idempotency-key": "a-key-of-this-suite" });
      const answers = await Promise.all([send(), send(), send()]);
      answers.push(await send());
      const ids = answers.map((answer) => answer.json<DocumentAccepted>().id_seguimiento);
      expect([answers.map(({ status }) => status), new Set(ids).size]).toEqual([[200, 200, 200, 200], 1]);
    });

    test("nothing that was answered is lost when processes are killed, nothing is done twice, nothing stays undone", async () => {
      const { client } = place;
      const pdf = await samplePdf();
      const document = pdf.toString("base64");
      const done: string[] = [];
      let started = 0;
      const crashing = Promise.withResolvers<void>();
      /** Asks again until it is answered: what is in between may be cut. */
      const insist = async (ask: () => Promise<{ status: number; text: string }>) =>
        eventually("an answer", async () => {
          const answer = await ask().catch(() => undefined);
          if (answer && answer.status < 500 && answer.status !== 200) throw new Error(`answered ${answer.text}`);
          return answer?.status === 200 && answer;
        });
      const work = async (): Promise<void> => {
        while (started < CRASHED_DOCUMENTS) {
          started += 1;
          const number = started;
          const body = { document, datos_firmantes: [newSigner()] };
          const headers = { "idempotency-key": `crash-${number}` };
          const { text } = await insist(() => client.send("POST", "/api/v2/documentSet", body, headers));
          const accepted: DocumentAccepted = JSON.parse(text);
          if (number === CRASHED_DOCUMENTS / 3) crashing.resolve();
          await insist(() => client.postSignature(linkOf(accepted)));
          done.push(accepted.id_seguimiento);
        }
      };
      const working = Promise.all(Array.from({ length: CONCURRENCY }, work));
      await Promise.race([crashing.promise, working]);
      await place.crash();
      await working;
      expect(new Set(done).size).toBe(CRASHED_DOCUMENTS);
      for (const id of done) {
        await sealed(id);
        const names = await client.eventNames(id);
        expect(names.filter((name) => name === "document_signed")).toHaveLength(1);
      }
      await using stores = await inspect(place.stores);
      await eventually(
        "nothing to be owed to them",
        async () => (await stores.openObligations((documentId) => done.includes(documentId))).length === 0,
      );
    });
  });
  return () => place;
};
