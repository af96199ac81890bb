import { type PhoneLineEvent, sample } from "@rubrica/events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Claim, claimTurn, foldOf, holdsTurn, leaveLine, type PhoneLine, phoneLineFold } from "../src/index.ts";
import { given as givenFold } from "../src/testing.ts";

const uuid = (last: string) => `019aa5c0-0000-7000-8000-${last.padStart(12, "0")}`;
const [lease, deed, will] = [sample.documentId, sample.otherDocumentId, uuid("d3")] as const;
const [ana, ben] = [uuid("5a"), uuid("5b")] as const;

const given = (...history: PhoneLineEvent[]) => givenFold(phoneLineFold, ...history);
const claim = (documentId: string, signerId: string = ana): Claim => ({ documentId, signerId });
const leaving = (documentId: string, signerId: string = ana) => ({ documentId, signerId, reason: "signed" as const });

const taken = (documentId: string, signerId: string = ana): PhoneLineEvent => ({
  type: "TurnTaken",
  data: { documentId, signerId },
  personal: null,
});
const queued = (documentId: string, behindDocumentId: string, signerId: string = ana): PhoneLineEvent => ({
  type: "TurnQueued",
  data: { documentId, signerId, behindDocumentId },
  personal: null,
});
const released = (documentId: string, signerId: string = ana): PhoneLineEvent => ({
  type: "TurnReleased",
  data: leaving(documentId, signerId),
  personal: null,
});
const withdrawn = (documentId: string, signerId: string = ana): PhoneLineEvent => ({
  type: "TurnWithdrawn",
  data: leaving(documentId, signerId),
  personal: null,
});

describe("claiming a phone", () => {
  test("takes the turn when it is free", () => given().when(claimTurn, claim(lease)).then(taken(lease)));
  test("takes the turn when it was given back", () =>
    given(taken(lease), released(lease)).when(claimTurn, claim(deed)).then(taken(deed)));
  test("waits behind the active document", () =>
    given(taken(lease)).when(claimTurn, claim(deed)).then(queued(deed, lease)));
  test("waits behind who holds the turn now, however long the line", () =>
    given(taken(lease), queued(deed, lease)).when(claimTurn, claim(will)).then(queued(will, lease)));
  test("again is nothing", () => {
    given(taken(lease)).when(claimTurn, claim(lease)).then();
    given(taken(lease), queued(deed, lease)).when(claimTurn, claim(deed)).then();
  });
  test("for another signer of the active document does not wait: a document never waits behind itself", () => {
    given(taken(lease)).when(claimTurn, claim(lease, ben)).then(taken(lease, ben));
    given(taken(lease), queued(deed, lease)).when(claimTurn, claim(lease, ben)).then(taken(lease, ben));
  });
  test("for another signer of a waiting document waits with it", () =>
    given(taken(lease), queued(deed, lease))
      .when(claimTurn, claim(deed, ben))
      .then(queued(deed, lease, ben)));
});

describe("leaving the line", () => {
  test("frees the turn", () => given(taken(lease)).when(leaveLine, leaving(lease)).then(released(lease)));
  test("gives the turn to the next in line, with the same append", () =>
    given(taken(lease), queued(deed, lease), queued(will, lease))
      .when(leaveLine, leaving(lease))
      .then(released(lease), taken(deed)));
  test("gives the turn to the signers of the next document together", () =>
    given(taken(lease), queued(deed, lease), queued(will, lease), queued(deed, lease, ben))
      .when(leaveLine, leaving(lease))
      .then(released(lease), taken(deed), taken(deed, ben)));
  test("keeps the turn while another signer of the document has it", () =>
    given(taken(lease), taken(lease, ben), queued(deed, lease)).when(leaveLine, leaving(lease)).then(released(lease)));
  test("withdraws a place that is still waiting", () =>
    given(taken(lease), queued(deed, lease), queued(will, lease)).when(leaveLine, leaving(deed)).then(withdrawn(deed)));
  test("passes over a place that was withdrawn", () =>
    given(taken(lease), queued(deed, lease), queued(will, lease), withdrawn(deed))
      .when(leaveLine, leaving(lease))
      .then(released(lease), taken(will)));
  test("again, or without a claim, is nothing", () => {
    given().when(leaveLine, leaving(lease)).then();
    given(taken(lease), released(lease)).when(leaveLine, leaving(lease)).then();
    given(taken(lease)).when(leaveLine, leaving(lease, ben)).then();
    given(taken(lease), queued(deed, lease), withdrawn(deed)).when(leaveLine, leaving(deed)).then();
  });
  test("tells why", () =>
    given(taken(lease))
      .when(leaveLine, { ...leaving(lease), reason: "undeliverable" })
      .then({ type: "TurnReleased", data: { ...leaving(lease), reason: "undeliverable" }, personal: null }));
});

test("a line remembers nobody who has left", () => {
  const long = Array.from({ length: 500 }, (_, index) => uuid(`f${index}`));
  const history = long.flatMap((documentId) => [taken(documentId), released(documentId)]);
  expect(foldOf(phoneLineFold, history)).toEqual(phoneLineFold.initial);
});

test("who holds the turn", () => {
  const line = foldOf(phoneLineFold, [taken(lease), queued(deed, lease)]);
  expect([holdsTurn(line, claim(lease)), holdsTurn(line, claim(lease, ben)), holdsTurn(line, claim(deed))]).toEqual([
    true,
    false,
    false,
  ]);
});

describe("any interleaving of claims and leaves", () => {
  interface Step {
    leaves: boolean;
    claim: Claim;
  }
  const steps = (signers: readonly string[]) =>
    fc.array(
      fc.record({
        leaves: fc.boolean(),
        claim: fc.record({
          documentId: fc.constantFrom(...["d1", "d2", "d3", "d4", "d5"].map(uuid)),
          signerId: fc.constantFrom(...signers),
        }),
      }),
      { maxLength: 60 },
    );
  const decide = (line: PhoneLine, { leaves, claim }: Step) =>
    leaves ? leaveLine(line, { ...claim, reason: "signed" }) : claimTurn(line, claim);
  const key = ({ documentId, signerId }: Claim) => `${documentId}/${signerId}`;
  const onLine = ({ holder, queue }: PhoneLine): string[] => [
    ...(holder?.signerIds ?? []).map((signerId) => key({ documentId: holder?.documentId ?? "", signerId })),
    ...queue.map(key),
  ];

  test("loses nobody, doubles nobody, and never has the turn free while somebody waits", () => {
    fc.assert(
      fc.property(steps([ana, ben]), (all) => {
        let line = phoneLineFold.initial;
        const present = new Set<string>();
        for (const step of all) {
          line = foldOf({ ...phoneLineFold, initial: line }, decide(line, step));
          if (step.leaves) present.delete(key(step.claim));
          else present.add(key(step.claim));
          expect(onLine(line).toSorted()).toEqual([...present].toSorted());
          expect(line.holder === null).toBe(present.size === 0);
          expect(line.queue.some(({ documentId }) => documentId === line.holder?.documentId)).toBe(false);
        }
      }),
    );
  });

  test("never has two active documents, as the events alone tell it", () => {
    fc.assert(
      fc.property(steps([ana, ben]), (all) => {
        let line = phoneLineFold.initial;
        const active = new Map<string, Set<string>>();
        for (const step of all) {
          for (const event of decide(line, step)) {
            line = phoneLineFold.evolve(line, event);
            const { documentId, signerId } = event.data;
            const signers = active.get(documentId) ?? new Set();
            if (event.type === "TurnTaken") active.set(documentId, signers.add(signerId));
            if (event.type === "TurnReleased" && signers.delete(signerId) && signers.size === 0)
              active.delete(documentId);
            expect(active.size).toBeLessThanOrEqual(1);
          }
        }
      }),
    );
  });

  test("is first in, first out", () => {
    fc.assert(
      fc.property(steps([ana]), (all) => {
        let line = phoneLineFold.initial;
        let expected: string[] = [];
        for (const step of all) {
          line = foldOf({ ...phoneLineFold, initial: line }, decide(line, step));
          const { documentId } = step.claim;
          if (step.leaves) expected = expected.filter((other) => other !== documentId);
          else if (!expected.includes(documentId)) expected.push(documentId);
          expect(line.holder?.documentId).toBe(expected[0]);
          expect(line.queue.map((waiting) => waiting.documentId)).toEqual(expected.slice(1));
        }
      }),
    );
  });
});
