import { after } from "@rubrica/test-kit/document-history";
import fc from "fast-check";
import { expect } from "vitest";
import { type PhotoKind, photoKinds, type Signer } from "../../src/index.ts";
import { REFUSAL_HOURS } from "./judge.ts";
import { fair, type Owing, type Weather, type World } from "./world.ts";

const uuid = (last: string) => `019aa5c0-0000-7000-8000-${last.padStart(12, "0")}`;
export const documentIds = ["d1", "d2", "d3", "d4"].map(uuid);
const signerIds = ["5a", "5b", "5c"].map(uuid);
const lineIds = ["aa", "bb"].map((byte) => byte.repeat(32));

/** How long ago a button was pressed of which the provider tells late. */
const LATE_HOURS = 2;

/** Some obligation, open or met before, by a number that is brought into range; or something that a person does. */
type Action =
  | { type: "meet" | "repeat"; which: number; weather: Weather }
  | {
      type:
        | "sign"
        | "reject"
        | "answer"
        | "refuse"
        | "answer-late"
        | "refuse-late"
        | "open"
        | "resend"
        | "insist"
        | "deliver"
        | "former-link"
        | "lose-touch"
        | "neglect"
        | "regret";
      document: number;
      signer: number;
    }
  | { type: "correct"; document: number; signer: number; line: number; isClaimed: boolean }
  | { type: "erase" | "cancel"; document: number }
  | { type: "settle" }
  | { type: "wait"; hours: number }
  | { type: "change-expiry"; document: number; hours: number }
  | { type: "upload"; document: number; signer: number; kind: PhotoKind };

export const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ type: "settle" as const }) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom("meet" as const, "meet" as const, "repeat" as const),
      which: fc.nat(),
      weather: fc.record({
        cutAfter: fc.option(fc.integer({ min: 1, max: 2 })),
        provider: fc.constantFrom("takes" as const, "takes" as const, "fails" as const, "refuses" as const),
      }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom(
        "sign" as const,
        "sign" as const,
        "answer" as const,
        "answer" as const,
        "refuse" as const,
        "refuse" as const,
        "answer-late" as const,
        "refuse-late" as const,
        "open" as const,
        "resend" as const,
        "resend" as const,
        "deliver" as const,
        "deliver" as const,
        "former-link" as const,
        "insist" as const,
        "lose-touch" as const,
        "neglect" as const,
        "regret" as const,
        // What ends a document has it live no longer.
        "reject" as const,
      ),
      document: fc.nat(documentIds.length - 1),
      signer: fc.nat(2),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("correct" as const),
      document: fc.nat(documentIds.length - 1),
      signer: fc.nat(2),
      line: fc.nat(lineIds.length - 1),
      isClaimed: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constantFrom("erase" as const, "cancel" as const, "cancel" as const),
      document: fc.nat(documentIds.length - 1),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.oneof(
      fc.record({ type: fc.constant("wait" as const), hours: fc.integer({ min: 1, max: 30 }) }),
      fc.record({ type: fc.constant("wait" as const), hours: fc.integer({ min: 1, max: 30 }) }),
      fc.record({
        type: fc.constant("change-expiry" as const),
        document: fc.nat(documentIds.length - 1),
        hours: fc.integer({ min: 1, max: 48 }),
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("upload" as const),
      document: fc.nat(documentIds.length - 1),
      signer: fc.nat(2),
      kind: fc.constantFrom(...photoKinds),
    }),
  },
);

interface Asked {
  line: number;
  position: string | null;
}
/** Of signers who are given the same position, all are asked together. */
const asked: fc.Arbitrary<Asked> = fc.record({
  line: fc.nat(lineIds.length - 1),
  position: fc.constantFrom(null, "1", "2"),
});

/** The signers of each document: one to three, several of them perhaps on one phone. */
export const phones = fc.array(fc.array(asked, { minLength: 1, maxLength: 3 }), {
  // Of few documents each has a longer life.
  minLength: 1,
  maxLength: documentIds.length,
});

const at = <Item>(items: readonly Item[], index: number): Item => {
  const item = items[index % items.length];
  if (item === undefined) throw new Error("nothing to choose from");
  return item;
};

export const requestAll = (world: World, linesOf: readonly (readonly Asked[])[]): void => {
  // Each kind of document is sometimes alone.
  const first = linesOf.length + (linesOf[0]?.length ?? 0);
  linesOf.forEach((lines, place) => {
    const index = (first + place) % documentIds.length;
    const signers = lines.map(({ line, position }, which) => ({
      signerId: at(signerIds, which),
      lineId: at(lineIds, line),
      position,
    }));
    const expiresAt = index % 2 === 0 ? after((index + 1) * 24 * 3_600_000) : null;
    const kind = { photos: index % 2 === 1, bulk: index >= 2, forTime: index === 1, expiresAt };
    world.request(at(documentIds, index), signers, kind);
  });
};

export const signersOf = (world: World, documentId: string): readonly Signer[] => {
  const document = world.document(documentId);
  return document.status === "none" ? [] : document.signers;
};

/** Whatever is to be sent to the signer reaches them by no medium. */
const loseTouch = (world: World, documentId: string, signerId: string): void => {
  const refusing: Weather = { cutAfter: null, provider: "refuses" };
  const isTheirs = (owing: Owing): boolean =>
    owing.documentId === documentId &&
    owing.obligation.signerId === signerId &&
    owing.obligation.kind.startsWith("send-");
  for (let times = 0; times < 3; times++) {
    for (const owing of world.owed().filter(isTheirs)) world.meet(owing, refusing);
  }
};

/** The signer got the message, opened the page, and does nothing for longer than silence may last. */
const neglect = (world: World, documentId: string, signerId: string): void => {
  settle(world);
  world.delivers(documentId, signerId);
  world.opens(documentId, signerId);
  world.waits(31);
  settle(world);
};

/** The signer chose not to continue, is asked anew after their phone went to others, and continues while they wait for it. */
const regret = (world: World, documentId: string, signerId: string): void => {
  settle(world);
  world.answers(documentId, signerId, "no_continue");
  world.waits(REFUSAL_HOURS);
  settle(world);
  world.resends(documentId, signerId);
  settle(world);
  world.answers(documentId, signerId);
};

export const act = (world: World, step: Action): void => {
  if ("which" in step) {
    const choice = step.type === "meet" ? world.owed() : world.published;
    if (choice.length > 0) world[step.type](at(choice, step.which), step.weather);
    return;
  }
  if (step.type === "settle") {
    settle(world);
    return;
  }
  if (step.type === "wait") {
    world.waits(step.hours);
    return;
  }
  const requested = documentIds.filter((id) => world.document(id).status !== "none");
  const documentId = at(requested, step.document);
  if (!("signer" in step)) {
    if ("hours" in step) world.changesExpiry(documentId, step.hours);
    else if (step.type === "erase") world.erases(documentId);
    else world.cancels(documentId);
    return;
  }
  const { signerId } = at(signersOf(world, documentId), step.signer);
  if (step.type === "correct") world.corrects(documentId, signerId, at(lineIds, step.line), step.isClaimed);
  else if (step.type === "former-link") world.usesFormerLink(documentId, signerId);
  else if (step.type === "upload") world.uploads(documentId, signerId, step.kind);
  else if (step.type === "sign") world.signs(documentId, signerId);
  else if (step.type === "reject") world.rejects(documentId, signerId);
  else if (step.type === "refuse") world.answers(documentId, signerId, "no_continue");
  else if (step.type === "answer-late") world.answers(documentId, signerId, "continue", LATE_HOURS);
  else if (step.type === "refuse-late") world.answers(documentId, signerId, "no_continue", LATE_HOURS);
  else if (step.type === "resend") world.resends(documentId, signerId);
  else if (step.type === "insist") world.insists(documentId, signerId);
  else if (step.type === "neglect") neglect(world, documentId, signerId);
  else if (step.type === "regret") regret(world, documentId, signerId);
  else if (step.type === "lose-touch") loseTouch(world, documentId, signerId);
  else if (step.type === "deliver") world.delivers(documentId, signerId);
  else if (step.type === "open") world.opens(documentId, signerId);
  else world.answers(documentId, signerId);
};

/** Meets everything that is owed, and all that follows from it. Each is closed by being met, or was closed before. */
export const settle = (world: World): void => {
  for (let round = 0; world.owed().length > 0; round++) {
    expect(round, "obligations that are met must be closed").toBeLessThan(200);
    // What else a document owes whose time is over is owed until that is recorded.
    const isEnd = ({ obligation }: Owing): number => (obligation.kind === "expire" ? 0 : 1);
    for (const owing of world.owed().toSorted((a, b) => isEnd(a) - isEnd(b))) {
      world.meet(owing, fair);
      const isLeft = (other: Owing): boolean => other.obligation.id === owing.obligation.id;
      // A message whose last attempt by one medium was cut is left to the next medium.
      const left = world.owed().find(isLeft);
      if (left?.obligation.kind.startsWith("send-")) world.meet(left, fair);
      expect(world.owed().filter(isLeft)).toEqual([]);
    }
  }
};
