import { type DocumentAccepted, eventually, type RubricaClient, samplePdf, sampleSigner } from "@rubrica/test-kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askedOn, templateFor } from "../support/messages.ts";
import { serviceInProcess, type TestService } from "../support/service.ts";

let service: TestService;
let client: RubricaClient;
let pdf: Buffer;
let signers = 0;

beforeAll(async () => {
  service = await serviceInProcess();
  client = service.client;
  pdf = await samplePdf();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A signer on a phone that no other test uses. */
const newSigner = () => sampleSigner(++signers);
const firstLink = ({ urls }: DocumentAccepted, index = 0): string => urls[index]?.link ?? "";
const queuedOf = ({ has_queued_signers, urls }: DocumentAccepted) => ({
  has_queued_signers,
  urls: urls.map(({ queued, queued_behind }) => ({ queued, queued_behind })),
});
const free = { has_queued_signers: false, urls: [{ queued: false, queued_behind: null }] };
const behind = (document: DocumentAccepted) => ({
  has_queued_signers: true,
  urls: [{ queued: true, queued_behind: document.id_seguimiento }],
});

/** Two documents for one phone; the first has been asked for, the second waits. */
const twoOnOnePhone = async () => {
  const signer = newSigner();
  const first = await client.requestDocument(pdf, [signer], { document_name: "First document" });
  const second = await client.requestDocument(pdf, [signer], { document_name: "Second document" });
  const asked = await templateFor(client, signer.phone, "First document");
  return { signer, first, second, asked };
};

describe("two documents for one phone", () => {
  test("the second is queued behind the first, and asked for by itself once the first is signed", async () => {
    const { signer, first, second } = await twoOnOnePhone();
    expect(queuedOf(first)).toEqual(free);
    expect(queuedOf(second)).toEqual(behind(first));
    expect(await askedOn(client, signer.phone)).toBe(1);
    await client.sign(firstLink(first));
    await templateFor(client, signer.phone, "Second document");
  });

  test("the third waits behind who has the turn now, and comes last", async () => {
    const { signer, first, second } = await twoOnOnePhone();
    const third = await client.requestDocument(pdf, [signer], { document_name: "Third document" });
    expect(queuedOf(third)).toEqual(behind(first));
    await client.sign(firstLink(first));
    await templateFor(client, signer.phone, "Second document");
    expect(await askedOn(client, signer.phone)).toBe(2);
    await client.sign(firstLink(second));
    await templateFor(client, signer.phone, "Third document");
  });

  test("the phone is free for the next document with the answer to a signature, and to a rejection", async () => {
    const signer = newSigner();
    for (const end of [client.sign, client.reject, client.sign, client.reject]) {
      const document = await client.requestDocument(pdf, [signer]);
      expect(queuedOf(document)).toEqual(free);
      await end(firstLink(document));
    }
  });

  test("a rejection passes the turn on", async () => {
    const { signer, first } = await twoOnOnePhone();
    await client.reject(firstLink(first));
    await templateFor(client, signer.phone, "Second document");
  });

  test("answering that one does not want to continue keeps the turn; signing all the same passes it on", async () => {
    const { signer, first, asked } = await twoOnOnePhone();
    await client.press(asked.id, "no_continue");
    await eventually("the answer in the log", async () =>
      (await client.eventNames(first.id_seguimiento)).includes("no_continue"),
    );
    const third = await client.requestDocument(pdf, [signer], { document_name: "Third document" });
    expect(queuedOf(third)).toEqual(behind(first));
    expect(await askedOn(client, signer.phone)).toBe(1);
    await eventually("what follows from it", async () =>
      (await client.messagesTo(signer.phone)).some(({ text }) => text.includes("Si cambia de idea, toque «Continuar»")),
    );
    await client.sign(firstLink(first));
    await templateFor(client, signer.phone, "Second document");
  });

  test("a phone that can't be reached gives the turn up for good, and its link works still", async () => {
    const signer = newSigner();
    await client.setReachable(signer.phone, false);
    const first = await client.requestDocument(pdf, [signer], { document_name: "First document" });
    await eventually("the message that did not arrive", async () => {
      const chats = (await client.send("GET", "/simulator/chats")).json<{ phone: string; undelivered: number }[]>();
      return chats.some(({ phone, undelivered }) => phone === signer.phone && undelivered === 1);
    });
    await client.setReachable(signer.phone, true);
    await client.requestDocument(pdf, [signer], { document_name: "Second document" });
    await templateFor(client, signer.phone, "Second document");
    expect(await askedOn(client, signer.phone)).toBe(1);
    await client.sign(firstLink(first));
    expect(await client.status(first.id_seguimiento)).toMatchObject({ is_finished: true });
  });

  test("a document that waits can be signed before its turn, which is then passed over", async () => {
    const { signer, first, second } = await twoOnOnePhone();
    const third = await client.requestDocument(pdf, [signer], { document_name: "Third document" });
    expect(queuedOf(third)).toEqual(behind(first));
    await client.sign(firstLink(second));
    expect(await client.status(second.id_seguimiento)).toMatchObject({ is_finished: true });
    await client.sign(firstLink(first));
    await templateFor(client, signer.phone, "Third document");
    expect(await askedOn(client, signer.phone)).toBe(2);
  });

  test("once both are signed, a further one is asked for as well", async () => {
    const { signer, first, second } = await twoOnOnePhone();
    await client.sign(firstLink(first));
    await client.sign(firstLink(second));
    await client.requestDocument(pdf, [signer], { document_name: "Third document" });
    await templateFor(client, signer.phone, "Third document");
  });
});

test("a document without messages neither waits nor makes others wait", async () => {
  const signer = newSigner();
  const silent = await client.requestDocument(pdf, [signer], { document_name: "Silent document", wpp: false });
  expect(queuedOf(silent)).toEqual(free);
  const first = await client.requestDocument(pdf, [signer], { document_name: "First document" });
  expect(queuedOf(first)).toEqual(free);
  const other = await client.requestDocument(pdf, [signer], { document_name: "Silent document", wpp: false });
  expect(queuedOf(other)).toEqual(free);
  await templateFor(client, signer.phone, "First document");
  expect(await askedOn(client, signer.phone)).toBe(1);
});

describe("Argentine and Mexican mobiles are one line with and without their old digit", () => {
  test.each([
    ["54", "549", "1123451234"],
    ["52", "521", "5512345678"],
  ])("%s and %s", async (modern, old, rest) => {
    const signer = { ...newSigner(), phone: modern + rest };
    const first = await client.requestDocument(pdf, [signer]);
    const second = await client.requestDocument(pdf, [{ ...signer, phone: old + rest }]);
    expect(queuedOf(second)).toEqual(behind(first));
    expect(second.urls.map(({ contact }) => contact)).toEqual([old + rest]);
  });
});

describe("several signers", () => {
  test("are asked in the order of position, numbers as numbers, each once the one before has signed", async () => {
    const [tenth, second, last] = [newSigner(), newSigner(), newSigner()];
    const document = await client.requestDocument(
      pdf,
      [{ ...tenth, position: "10" }, { ...second, position: "2" }, last],
      { document_name: "Shared document" },
    );
    expect(document.urls.map(({ name }) => name)).toEqual([tenth.name, second.name, last.name]);
    await templateFor(client, second.phone, "Shared document");
    expect(await askedOn(client, tenth.phone)).toBe(0);
    await client.sign(firstLink(document, 1));
    await templateFor(client, tenth.phone, "Shared document");
    expect(await askedOn(client, last.phone)).toBe(0);
    await client.sign(firstLink(document, 0));
    await templateFor(client, last.phone, "Shared document");
    await client.sign(firstLink(document, 2));
    expect(await client.status(document.id_seguimiento)).toMatchObject({ is_finished: true });
  });

  test("are asked together who are given the same position, and the next once all of them have signed", async () => {
    const [ana, ben, last] = [newSigner(), newSigner(), newSigner()];
    const busy = await client.requestDocument(pdf, [ben], { document_name: "Earlier document" });
    const document = await client.requestDocument(pdf, [last, { ...ana, position: "1" }, { ...ben, position: "1" }], {
      document_name: "Grouped document",
    });
    expect(queuedOf(document)).toEqual({
      has_queued_signers: true,
      urls: [
        { queued: false, queued_behind: null },
        { queued: false, queued_behind: null },
        { queued: true, queued_behind: busy.id_seguimiento },
      ],
    });
    await templateFor(client, ana.phone, "Grouped document");
    await client.sign(firstLink(busy));
    await templateFor(client, ben.phone, "Grouped document");
    await client.sign(firstLink(document, 2));
    expect(await askedOn(client, last.phone)).toBe(0);
    await client.sign(firstLink(document, 1));
    await templateFor(client, last.phone, "Grouped document");
  });

  test("of a group, one's rejection ends it for all, at once", async () => {
    const [ana, ben] = [newSigner(), newSigner()];
    const together = [ana, ben].map((signer) => ({ ...signer, position: "1" }));
    const document = await client.requestDocument(pdf, together, { document_name: "Grouped document" });
    await templateFor(client, ana.phone, "Grouped document");
    await templateFor(client, ben.phone, "Grouped document");
    await client.reject(firstLink(document, 1));
    expect((await client.postSignature(firstLink(document, 0))).status).toBe(409);
    for (const signer of [ana, ben]) {
      expect(queuedOf(await client.requestDocument(pdf, [signer]))).toEqual(free);
    }
  });

  test("on one phone, who are asked together wait neither behind each other nor behind their document", async () => {
    const signer = newSigner();
    const together = ["6", "7"].map((name) => ({
      ...signer,
      name: `Ana ${name}`,
      dni: `3012345${name}`,
      position: "7",
    }));
    const document = await client.requestDocument(pdf, together, { document_name: "Grouped document" });
    expect(document.has_queued_signers).toBe(false);
    await eventually("both messages", async () => (await askedOn(client, signer.phone)) === 2);
    const next = await client.requestDocument(pdf, [signer], { document_name: "Next document" });
    expect(queuedOf(next)).toEqual(behind(document));
    await client.sign(firstLink(document, 1));
    await client.sign(firstLink(document, 0));
    await templateFor(client, signer.phone, "Next document");
  });

  test("a later signer waits for their phone when their turn comes, not before", async () => {
    const [opener, busy] = [newSigner(), newSigner()];
    const shared = await client.requestDocument(pdf, [opener, busy], { document_name: "Shared document" });
    expect(shared.urls.map(({ queued }) => queued)).toEqual([false, false]);
    const own = await client.requestDocument(pdf, [busy], { document_name: "Own document" });
    expect(queuedOf(own)).toEqual(free);
    await client.sign(firstLink(shared));
    await templateFor(client, busy.phone, "Own document");
    const next = await client.requestDocument(pdf, [busy], { document_name: "Next document" });
    expect(queuedOf(next)).toEqual(behind(own));
    await client.sign(firstLink(own));
    await templateFor(client, busy.phone, "Shared document");
  });

  test("who share a phone do not wait for each other", async () => {
    const mother = newSigner();
    const child = { ...newSigner(), phone: mother.phone };
    const document = await client.requestDocument(pdf, [mother, child], { document_name: "Family document" });
    await templateFor(client, mother.phone, "Family document");
    await client.sign(firstLink(document, 0));
    await eventually("both to be asked", async () => (await askedOn(client, mother.phone)) === 2);
  });

  test("one who rejects ends it for all: the phone is free", async () => {
    const [one, other] = [newSigner(), newSigner()];
    const document = await client.requestDocument(pdf, [one, other], { document_name: "Shared document" });
    await client.reject(firstLink(document, 1));
    const answer = await client.postSignature(firstLink(document, 0));
    expect(answer.status).toBe(409);
    await client.requestDocument(pdf, [one], { document_name: "Own document" });
    await templateFor(client, one.phone, "Own document");
    expect(await askedOn(client, other.phone)).toBe(0);
  });
});
