import { expect, test } from "vitest";
import { documentKinds } from "../../src/obligations/document-kinds.ts";
import { namesOf } from "../../src/obligations/kind.ts";
import { signerKinds } from "../../src/obligations/signer-kinds.ts";
import { expectAllMetIn, expectOwedIsTakenIn } from "./lives.ts";
import { openOf, takenAsDue } from "./taken.ts";
import { fair, World } from "./world.ts";

/** Always the same lives: what a change broke is then red for it, and nobody else's change. `npm run test:long` tries others. */
const SEED = 1;

test("whatever happens, what is owed is what the deciders take", () => expectOwedIsTakenIn(120, SEED));

test("whatever is cut, repeated or raced: everything owed is met, nobody is forgotten, and every line empties", () => {
  const owedKinds = expectAllMetIn(800, SEED);
  const neverOwed = [...namesOf(documentKinds), ...namesOf(signerKinds)].filter((kind) => !owedKinds.has(kind));
  expect(neverOwed, "nobody in `world.ts` does what opens these, or no action in `actions.ts` has them do it").toEqual(
    [],
  );
});

const [documentId, otherId, signerId, lineId] = ["d", "e", "5", "a"].map((digit) => digit.repeat(32)) as [
  string,
  string,
  string,
  string,
];
const kind = { photos: false, bulk: false, forTime: false, expiresAt: null };

test("who refused while they waited to be asked anew, for longer than that may last, is sent all anew, by the rules", () => {
  const world = new World();
  for (const id of [documentId, otherId]) world.request(id, [{ signerId, lineId, position: null }], kind);
  const refuses = () => {
    for (let round = 0; round < 3; round++) for (const owing of world.owed()) world.meet(owing, fair);
    world.answers(documentId, signerId, "no_continue");
    world.waits(20);
    for (const owing of world.owed()) world.meet(owing, fair);
    world.resends(documentId, signerId);
  };
  refuses();
  expect(world.line(lineId).holder).toMatchObject({ documentId: otherId });
  refuses();
  expect(world.owed().map(({ obligation }) => obligation.kind)).toContain("claim-turn");
  expect(world.judge.faults).toEqual([]);
});

test("who refused while they waited to be asked anew, for longer than that may last, gives the phone up as they get it", () => {
  const world = new World();
  world.request(documentId, [{ signerId, lineId, position: null }], kind);
  const meetAll = () => {
    for (const owing of world.owed()) world.meet(owing, fair);
  };
  for (let round = 0; round < 3; round++) meetAll();
  world.answers(documentId, signerId, "no_continue");
  world.waits(20);
  meetAll();
  expect(world.line(lineId).holder).toBeNull();
  world.resends(documentId, signerId);
  world.answers(documentId, signerId, "no_continue");
  world.waits(20);
  const claim = world.owed().find(({ obligation }) => obligation.kind === "claim-turn");
  if (!claim) throw new Error("no claim is owed");
  world.meet(claim, fair);
  expect(openOf(world, documentId)).toContain(`end-refusal:${signerId}`);
  expect(openOf(world, documentId)).toEqual(takenAsDue(world, documentId));
});
