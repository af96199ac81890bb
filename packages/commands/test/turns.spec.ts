import {
  attemptMessage,
  claimTurn,
  leaveLine,
  recordNotice,
  reject,
  requestDocument,
  requestResend,
} from "@rubrica/domain";
import { derivedId, sample } from "@rubrica/events";
import {
  contextOf,
  documentIds,
  lineId,
  openWorld,
  requestOf,
  signerOfDocument,
  type World,
} from "@rubrica/test-kit/commands";
import { requester } from "@rubrica/test-kit/document-history";
import { expect, test } from "vitest";
import { claimTurnById, releaseTurn, releaseTurnIfDue } from "../src/index.ts";

const { first, second } = documentIds;
const signer = signerOfDocument;

const request = async ({ handlers }: World, documentId: string) =>
  handlers.documents.handle(documentId, requestDocument, requestOf(documentId), contextOf(`request-${documentId}`));

const rejected = async ({ handlers }: World, documentId: string) =>
  handlers.documents.handle(
    documentId,
    reject,
    { signerId: signer(documentId), reason: "late", origin: sample.origin },
    contextOf(`reject-${documentId}`),
  );

const typesOn = async (world: World): Promise<string[]> =>
  (await world.eventsOf("phoneLine", lineId)).map(({ type }) => type);

test("the first document on a phone has the turn, the next one waits behind it", async () => {
  await using world = openWorld();
  await request(world, first);
  await request(world, second);
  expect(await claimTurnById(world.handlers, first, signer(first), contextOf("a"))).toEqual({ queued: false });
  expect(await claimTurnById(world.handlers, second, signer(second), contextOf("b"))).toEqual({
    queued: true,
    behindDocumentId: first,
  });
});

test("nobody waits behind a document whose time is over, though no event says so yet", async () => {
  await using world = openWorld();
  const { handlers, runtime } = world;
  const expiresAt = new Date(runtime.clock.now() + 1_000).toISOString();
  const expiring = { ...requestOf(first), expiresAt };
  await handlers.documents.handle(first, requestDocument, expiring, contextOf("request"));
  await claimTurnById(handlers, first, signer(first), contextOf("claim"));
  runtime.clock.advance(1_000);
  await request(world, second);
  for (const command of ["a", "a"])
    expect(await claimTurnById(handlers, second, signer(second), contextOf(command))).toEqual({ queued: false });
  expect(await typesOn(world)).toEqual(["TurnTaken", "TurnQueued", "TurnReleased", "TurnTaken"]);
  expect((await handlers.lines.load(lineId)).holder).toMatchObject({ documentId: second });
});

test("a claim that is made again, or by another command, claims nothing more", async () => {
  await using world = openWorld();
  await request(world, first);
  for (const command of ["a", "a", "b"]) await claimTurnById(world.handlers, first, signer(first), contextOf(command));
  expect(await typesOn(world)).toEqual(["TurnTaken"]);
  expect((await world.eventsOf("document", first)).map(({ type }) => type)).toEqual([
    "DocumentRequested",
    "SignerTurnCame",
  ]);
});

/** The message that asks the signer, and their answer "No continuar" to it. */
const refusing = (world: World, documentId: string) => {
  const { documents } = world.handlers;
  const message = { signerId: signer(documentId), kind: "template" as const, messageId: "m1" };
  const attempt = { ...message, attempt: 1, media: ["wpp"] as const, providerBy: () => sample.provider, now: 0 };
  const notice = { providerMessageId: "p1", messageId: "m1", medium: "wpp", notice: "answered" } as const;
  const answer = { ...notice, answer: "no_continue", at: sample.at } as const;
  return {
    isSent: () => documents.handle(documentId, attemptMessage, attempt, contextOf("attempt")),
    isAnswered: () => documents.handle(documentId, recordNotice, answer, contextOf("answer")),
  };
};

test("who chose not to continue gives the phone up once that time is over: the next in line has it", async () => {
  await using world = openWorld();
  const { handlers, runtime } = world;
  for (const id of [first, second]) {
    await request(world, id);
    await claimTurnById(handlers, id, signer(id), contextOf(`claim-${id}`));
  }
  const { isSent, isAnswered } = refusing(world, first);
  await isSent();
  await isAnswered();
  runtime.clock.advance(72 * 3_600_000 - 1);
  await releaseTurnIfDue(handlers, first, signer(first), contextOf("early"));
  expect((await handlers.lines.load(lineId)).holder).toMatchObject({ documentId: first });
  runtime.clock.advance(1);
  await releaseTurnIfDue(handlers, first, signer(first), contextOf("late"));
  expect((await handlers.lines.load(lineId)).holder).toMatchObject({ documentId: second });
  expect((await world.eventsOf("phoneLine", lineId)).find(({ type }) => type === "TurnReleased")).toMatchObject({
    data: { documentId: first, reason: "refused" },
  });
});

test("who refused by a former message while they wait to be asked anew has a claim that is closed, also late", async () => {
  await using world = openWorld();
  const { handlers, runtime } = world;
  await request(world, first);
  await claimTurnById(handlers, first, signer(first), contextOf("claim"));
  const { isSent, isAnswered } = refusing(world, first);
  await isSent();
  const resend = { signerId: signer(first), resendId: derivedId("resend"), by: requester, now: runtime.clock.now() };
  await handlers.documents.handle(first, requestResend, resend, contextOf("resend"));
  await isAnswered();
  runtime.clock.advance(72 * 3_600_000);
  await claimTurnById(handlers, first, signer(first), contextOf("claim-anew"));
  // Their turn came, hence no claim is owed; and the refusal gives the phone up.
  expect((await world.eventsOf("document", first)).at(-1)).toMatchObject({ type: "SignerTurnCame" });
  await releaseTurnIfDue(handlers, first, signer(first), contextOf("release"));
  expect((await handlers.lines.load(lineId)).holder).toBeNull();
});

test("who gave the phone up, and continues, takes it not by a claim that is given again", async () => {
  await using world = openWorld();
  await request(world, first);
  const claim = () => claimTurnById(world.handlers, first, signer(first), contextOf("claim"));
  await claim();
  await releaseTurn(world.handlers, first, signer(first), "refused", contextOf("release"));
  expect(await claim()).toEqual({ queued: false });
  expect(await typesOn(world)).toEqual(["TurnTaken", "TurnReleased"]);
});

test("whose document has ended claims nothing: a claim that comes late puts nobody on the line", async () => {
  await using world = openWorld();
  await request(world, first);
  await rejected(world, first);
  expect(await claimTurnById(world.handlers, first, signer(first), contextOf("a"))).toEqual({ queued: false });
  expect(await typesOn(world)).toEqual([]);
});

test("claims and leaves that are repeated after the line went on have ids of their own", async () => {
  await using world = openWorld();
  const claim = { documentId: first, signerId: signer(first) };
  const leave = { ...claim, reason: "signed" as const };
  const { lines } = world.handlers;
  for (let round = 0; round < 3; round++) {
    await lines.handle(lineId, claimTurn, claim, contextOf("the same claim"));
    await lines.handle(lineId, leaveLine, leave, contextOf("the same leave"));
  }
  const events = await world.eventsOf("phoneLine", lineId);
  expect(events.map(({ type }) => type)).toEqual([
    "TurnTaken",
    "TurnReleased",
    "TurnTaken",
    "TurnReleased",
    "TurnTaken",
    "TurnReleased",
  ]);
  expect(new Set(events.map(({ id }) => id)).size).toBe(6);
});

test("leaving hands the turn to the next in line, once, however often it is repeated", async () => {
  await using world = openWorld();
  await request(world, first);
  await request(world, second);
  await claimTurnById(world.handlers, first, signer(first), contextOf("a"));
  await claimTurnById(world.handlers, second, signer(second), contextOf("b"));
  await rejected(world, first);
  for (let round = 0; round < 2; round++)
    await releaseTurn(world.handlers, first, signer(first), "document_ended", contextOf("leave"));
  expect(await typesOn(world)).toEqual(["TurnTaken", "TurnQueued", "TurnReleased", "TurnTaken"]);
});
