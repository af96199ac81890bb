import { acceptDocument, eraseDocument } from "@rubrica/commands";
import { recordTurnCome, reject } from "@rubrica/domain";
import { sample } from "@rubrica/events";
import { MessagingError, type MessagingProvider } from "@rubrica/messaging";
import type { ReadModelDocument, ReadModelStore } from "@rubrica/read-models";
import { isoTime } from "@rubrica/runtime";
import { createSecrets, signingTokens } from "@rubrica/secrets";
import { contextOf, documentIds, documentToAccept, openWorld, signerOfDocument } from "@rubrica/test-kit/commands";
import { describe, expect, test, vi } from "vitest";
import { erasureSubscribers } from "../src/erasure.ts";
import { identitySubscriber } from "../src/identity.ts";
import { messageSubscribers } from "../src/messages.ts";
import { openIdentityWorld, signerId, verdict } from "./identity-world.ts";
import { obligationOf } from "./owed.ts";

const documentId = documentIds.first;

const published = (kind: "erase" | "forget" | "send-template" | "check-identity", about: string | null = null) => ({
  obligation: obligationOf(kind, { id: `e3:${kind}`, signerId: about, dueAt: isoTime(0) }),
  documentId,
  accountId: sample.accountId,
});

/** Read models that tell of the document what they are told to. */
class ReadModels implements Pick<ReadModelStore, "get" | "wipe"> {
  listed: { erased: boolean } | undefined = { erased: true };
  /** How often they were wiped. */
  wiped = 0;
  async get<D extends ReadModelDocument>() {
    const position = { commit: 1n, prepare: 1n };
    return this.listed && { id: documentId, position, document: this.listed as unknown as D };
  }
  async wipe(): Promise<void> {
    this.wiped += 1;
  }
}

/** A rejected document, and the subscribers, of whose keys the test may say what becomes. */
const rejected = async () => {
  const world = openWorld();
  const toAccept = documentToAccept(documentId, Buffer.from("%PDF-1.7"), { pageCount: 1, retentionDays: 30 });
  await acceptDocument(world, toAccept, contextOf("accept"));
  const rejection = { signerId: signerOfDocument(documentId), reason: "late", origin: sample.origin };
  await world.handlers.documents.handle(documentId, reject, rejection, contextOf("reject"));
  const keys = { destroy: (owner: string) => world.keys.destroy(owner), lines: world.keys.lines };
  const identityProvider = { forget: () => Promise.reject(new Error("nobody knows of it")) };
  const providers = { messaging: new Map(), identityProvider, signal: new AbortController().signal };
  const readModels = new ReadModels();
  const all = erasureSubscribers({ ...world, ...providers, keys, readModels, customIdHmac: () => sample.sha256 });
  const meet = async (kind: "erase" | "forget") => all.find((one) => one.kind === kind)?.meet(published(kind));
  const ends = async () => (await world.eventsOf("document", documentId)).map(({ type }) => type).slice(-2);
  return { world, keys, readModels, meet, ends };
};

test("a document whose time is over is erased and forgotten, once, and says why", async () => {
  const { world, meet, ends } = await rejected();
  await meet("erase");
  await meet("erase");
  await meet("forget");
  expect(await ends()).toEqual(["DocumentErased", "DocumentForgotten"]);
  const erased = (await world.eventsOf("document", documentId)).find(({ type }) => type === "DocumentErased");
  expect(erased).toMatchObject({ data: { cause: "retention" }, metadata: { actor: "service/erasure" } });
  expect(await world.keys.find(documentId)).toBeUndefined();
  await world[Symbol.asyncDispose]();
});

test("one whose key could not be destroyed is forgotten later", async () => {
  const { world, keys, meet, ends } = await rejected();
  const { destroy } = keys;
  keys.destroy = () => Promise.reject(new Error("the disk is full"));
  await expect(meet("erase")).rejects.toThrow("the disk is full");
  expect((await ends()).at(-1)).toBe("DocumentErased");
  keys.destroy = destroy;
  await meet("forget");
  expect((await ends()).at(-1)).toBe("DocumentForgotten");
  expect(await world.keys.find(documentId)).toBeUndefined();
  await world[Symbol.asyncDispose]();
});

test("one that can still be found by its people is forgotten later", async () => {
  const { world, readModels, meet, ends } = await rejected();
  await meet("erase");
  readModels.listed = { erased: false };
  await expect(meet("forget")).rejects.toThrow("do not say yet");
  expect([readModels.wiped, (await ends()).at(-1)]).toEqual([0, "DocumentErased"]);
  readModels.listed = { erased: true };
  await meet("forget");
  expect([readModels.wiped, (await ends()).at(-1)]).toEqual([1, "DocumentForgotten"]);
  await world[Symbol.asyncDispose]();
});

const messageId = published("send-template").obligation.id;

/** A document whose signer is sent a template and has photos looked at, and who is asked to forget it. */
const knownOutside = async () => {
  const world = await openIdentityWorld();
  const { handlers, provider, dependencies } = world;
  await handlers.documents.handle(documentId, recordTurnCome, { signerId }, contextOf("turn"));
  await world.uploadAll();
  const forgotten: string[] = [];
  const messaging = {
    provider: sample.provider,
    medium: "wpp" as const,
    sendTemplate: async () => ({ providerMessageId: "sim.1" }),
    sendLink: async () => ({ providerMessageId: "sim.2" }),
    sendCopy: async () => ({ providerMessageId: "sim.3" }),
    sendReminder: async () => ({ providerMessageId: "p5" }),
    sendNote: async () => ({ providerMessageId: "sim.4" }),
    forget: async (id: string): Promise<void> => void forgotten.push(id),
  };
  const readModels = new ReadModels();
  const stores = { ...dependencies, customIdHmac: () => sample.sha256, readModels };
  const erasure = (asked: MessagingProvider = messaging) =>
    erasureSubscribers({ ...stores, messaging: new Map([["wpp", asked]]) }).find(({ kind }) => kind === "forget");
  const [template] = messageSubscribers({
    ...dependencies,
    messaging: new Map([["wpp", messaging]]),
    tokens: signingTokens(createSecrets({ current: Buffer.alloc(32) })),
    publicUrl: "http://localhost",
  });
  return {
    ...world,
    readModels,
    messaging,
    forgotten: () => [...forgotten, ...provider.forgotten],
    send: () => template?.meet(published("send-template", signerId)),
    check: () => identitySubscriber(dependencies).meet(published("check-identity", signerId)),
    erase: () => eraseDocument(stores, documentId, "requested", contextOf("erase")),
    forget: (asked?: MessagingProvider) => erasure(asked)?.meet(published("forget")),
    last: async () => (await world.eventsOf("document", documentId)).at(-1)?.type,
  };
};
const subject = `${documentId}/${signerId}`;

describe("providers", () => {
  test("are asked to forget the messages and the photos' checks, before that is recorded, and once", async () => {
    await using world = await knownOutside();
    await world.send();
    await world.check();
    expect(world.forgotten()).toEqual([]);
    await world.erase();
    expect([await world.last(), world.forgotten()]).toEqual(["DocumentErased", []]);
    await world.forget();
    await world.forget();
    expect([await world.last(), world.forgotten()]).toEqual(["DocumentForgotten", [messageId, subject]]);
  });

  test("that are not to be had are asked again later, the key being gone", async () => {
    await using world = await knownOutside();
    await world.send();
    await world.erase();
    const busy = { ...world.messaging, forget: () => Promise.reject(new MessagingError("provider_busy", false)) };
    await expect(world.forget(busy)).rejects.toThrow("provider_busy");
    expect([await world.last(), await world.keys.find(documentId)]).toEqual(["DocumentErased", undefined]);
    await world.forget();
    expect([await world.last(), world.forgotten()]).toEqual(["DocumentForgotten", [messageId, subject]]);
  });

  test("are asked also while somebody reads the read models, which are wiped later", async () => {
    await using world = await knownOutside();
    await world.send();
    await world.erase();
    const wipe = vi.spyOn(world.readModels, "wipe").mockRejectedValueOnce(new Error("another process reads"));
    await expect(world.forget()).rejects.toThrow("another process reads");
    expect([await world.last(), world.forgotten()]).toEqual(["DocumentErased", [messageId, subject]]);
    await world.forget();
    expect([await world.last(), wipe.mock.calls.length]).toEqual(["DocumentForgotten", 2]);
  });

  test("that know no way to forget keep nothing waiting", async () => {
    await using world = await knownOutside();
    await world.send();
    await world.erase();
    const { forget: _forget, ...unable } = world.messaging;
    await world.forget(unable);
    expect([await world.last(), world.forgotten()]).toEqual(["DocumentForgotten", [subject]]);
  });

  test("are asked about what no attempt came to an end of, too", async () => {
    await using world = await knownOutside();
    world.messaging.sendTemplate = () => Promise.reject(new Error("cut"));
    await expect(world.send()).rejects.toThrow("cut");
    await world.erase();
    await world.forget();
    expect(world.forgotten()).toEqual([messageId, subject]);
  });

  test("that were being given something meanwhile are asked once more, when they have it", async () => {
    await using world = await knownOutside();
    const eraseAndForget = async () => {
      await world.erase();
      await world.forget();
    };
    world.messaging.sendTemplate = async () => {
      await eraseAndForget();
      return { providerMessageId: "sim.1" };
    };
    await world.send();
    expect(world.forgotten()).toEqual([messageId, messageId, subject]);
  });

  test("that were looking at photos meanwhile are asked once more, whatever came of it", async () => {
    for (const outcome of [async () => verdict(), () => Promise.reject(new Error("cut"))]) {
      await using world = await knownOutside();
      world.provider.answer = async () => {
        await world.erase();
        await world.forget();
        return outcome();
      };
      await world.check().catch(() => undefined);
      expect(world.forgotten()).toEqual([subject, subject]);
    }
  });
});
