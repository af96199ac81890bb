import fc from "fast-check";
import { expect } from "vitest";
import { photoKinds, type Signer } from "../../src/index.ts";
import { act, action, documentIds, phones, requestAll, settle, signersOf } from "./actions.ts";
import { openOf, takenAsDue } from "./taken.ts";
import { World } from "./world.ts";

/**
 * What is owed is what the deciders take, and the other way round; where its time is over, that this is recorded. Judges those
 * documents alone of which a step changed anything that it is judged by.
 */
const expectOwedIsTaken = (world: World, judged: Map<string, readonly unknown[]>): void => {
  for (const documentId of documentIds) {
    const { documents, records, lines, now } = world;
    const by = [documents.get(documentId), records.get(documentId), ...lines.values(), now];
    const before = judged.get(documentId);
    if (before?.length === by.length && by.every((part, index) => part === before[index])) continue;
    judged.set(documentId, by);
    if (world.isExpiring(documentId)) {
      expect(world.owed().filter((owing) => owing.documentId === documentId)).toContainEqual(
        expect.objectContaining({ obligation: expect.objectContaining({ kind: "expire" }) }),
      );
    } else expect(openOf(world, documentId)).toEqual(takenAsDue(world, documentId));
  }
};

const hasBeenAsked = (signer: Signer): boolean =>
  signer.undeliverable || Object.values(signer.messages).some(({ state, isFormer }) => state === "sent" && !isFormer);

/** Whoever chose to continue has the link, unless they need it no more. */
const expectLinks = (world: World): void => {
  for (const documentId of documentIds.filter((id) => world.document(id).status === "pending")) {
    for (const { wantsLink, signed, messages, turn } of signersOf(world, documentId)) {
      if (!wantsLink || signed || turn !== "came") continue;
      const links = Object.values(messages).filter(({ kind, isFormer }) => kind === "link" && !isFormer);
      expect(links).toMatchObject([{ state: expect.stringMatching(/^(sent|undeliverable)$/) }]);
    }
  }
};

/** Whoever took all three photos has the provider's word on each. */
const expectChecked = (world: World): void => {
  for (const documentId of documentIds.filter((id) => world.document(id).status === "pending")) {
    for (const { photos, signed } of signersOf(world, documentId)) {
      const last = photoKinds.map((kind) => photos[kind].at(-1)?.validation);
      if (!signed && !last.includes(undefined) && !last.includes("rejected")) expect(last).not.toContain("pending");
    }
  }
};

/** Whoever's turn it is was sent a message, refused in line and left it, or waits behind who can still give the turn back. */
const expectNobodyForgotten = (world: World): void => {
  for (const documentId of documentIds.filter((id) => world.document(id).status === "pending")) {
    for (const next of signersOf(world, documentId)) {
      const isNext = !next.signed && world.awaitedBefore(documentId, next.signerId).length === 0;
      const hasLeft = world.judge.hasLeft(documentId, next.signerId, world.now);
      if (isNext && !hasLeft && !hasBeenAsked(next)) expectWaiting(world, documentId, next);
    }
  }
};

const expectWaiting = (world: World, documentId: string, next: Signer): void => {
  expect(next.turn).toBe("queued");
  const { holder, queue } = world.line(next.lineId ?? "");
  expect(queue).toContainEqual({ documentId, signerId: next.signerId });
  expect(holder && world.document(holder.documentId).status).toBe("pending");
  for (const signerId of holder?.signerIds ?? []) {
    const signer = signersOf(world, holder?.documentId ?? "").find((one) => one.signerId === signerId);
    expect(signer).toMatchObject({ turn: "came", signed: false, undeliverable: false });
  }
};

/** Whatever happened: each document ended once at most, and after that only what is told of the end was sent. */
const expectOneEnd = (world: World): void => {
  for (const count of world.ends.values()) expect(count).toBe(1);
  expect(world.wronglySent).toEqual([]);
  expect(world.strangersTook).toEqual([]);
  expect(world.askedTooEarly).toEqual([]);
  expect(world.judge.faults).toEqual([]);
  expect(world.toldAfterwards.filter((kind) => kind !== "copy" && kind !== "cancellation")).toEqual([]);
};

/** What is owed is what the deciders take, after each step of so many lives. */
export const expectOwedIsTakenIn = (numRuns: number, seed?: number): void =>
  fc.assert(
    fc.property(phones, fc.array(action, { minLength: 20, maxLength: 60 }), (linesOf, steps) => {
      const world = new World();
      const judged = new Map<string, readonly unknown[]>();
      requestAll(world, linesOf);
      for (const step of steps) {
        act(world, step);
        expectOwedIsTaken(world, judged);
      }
      expectOneEnd(world);
    }),
    seed === undefined ? { numRuns } : { numRuns, seed },
  );

/**
 * Everything owed is met, nobody is forgotten, each document ends once, and every line empties, in so many lives. Every kind
 * that was owed in one of them.
 */
export const expectAllMetIn = (numRuns: number, seed?: number): Set<string> => {
  const owedKinds = new Set<string>();
  fc.assert(
    fc.property(phones, fc.array(action, { minLength: 20, maxLength: 80 }), (linesOf, steps) => {
      const world = new World();
      requestAll(world, linesOf);
      for (const step of steps) act(world, step);
      settle(world);
      expect(world.settled()).toEqual([]);
      expectLinks(world);
      expectChecked(world);
      expectNobodyForgotten(world);
      for (const documentId of documentIds) {
        for (const { signerId } of signersOf(world, documentId)) {
          for (const kind of photoKinds) world.uploads(documentId, signerId, kind);
          settle(world);
          world.signs(documentId, signerId);
          settle(world);
          expectNobodyForgotten(world);
        }
      }
      expectOneEnd(world);
      expect(world.settled()).toEqual([]);
      expect(documentIds.map((documentId) => world.document(documentId).status)).not.toContain("pending");
      for (const line of world.lines.values()) expect(line).toEqual({ holder: null, queue: [] });
      for (const kind of world.owedKinds) owedKinds.add(kind);
    }),
    seed === undefined ? { numRuns } : { numRuns, seed },
  );
  return owedKinds;
};
