import { sample } from "@rubrica/events";
import {
  ana,
  attempted,
  ben,
  completed,
  cyd,
  delivered,
  documentId,
  event,
  failed,
  preparationFailed,
  prepared,
  queued,
  refused,
  rejected,
  requested,
  requestedInBulk,
  requester,
  sent,
  signed,
  template,
  turnCame,
} from "@rubrica/test-kit/document-history";
import { describe, expect, test } from "vitest";
import { evolveObligations, obligationsRecordId, setAside } from "../../src/index.ts";
import {
  lineQueued,
  lineReleased,
  lineTaken,
  lineWithdrawn,
  minute,
  openAfter,
  recordAfter,
  recorded,
} from "./fixtures.ts";

const silent = requested([ana, ben], { sendMessages: false });

describe("claiming a turn is owed", () => {
  test("to the first signer, from the request on, some seconds after who wrote it could do it", () =>
    expect(recordAfter(requested([ana, ben])).open).toEqual([
      {
        id: `e1:claim-turn:${ana}`,
        kind: "claim-turn",
        signerId: ana,
        webhookType: null,
        dueAt: minute(1, 5_000),
        since: minute(1),
        attempts: 0,
        reason: null,
      },
    ]));
  test("until the signer is queued or has the turn", () => {
    expect(openAfter(requested(), lineQueued(ana), queued(ana))).toEqual([]);
    expect(openAfter(requested(), lineTaken(ana), turnCame(ana))).toEqual([`e3:send-template:${ana}`]);
  });
  test("still, when the claim was cut before the document told of it", () => {
    expect(openAfter(requested(), lineQueued(ana))).toEqual([`e1:claim-turn:${ana}`]);
    expect(openAfter(requested(), lineTaken(ana))).toEqual([`e1:claim-turn:${ana}`, `e2:announce-turn:${ana}`]);
  });
  test("to the next signer, at once, when one has signed", () => {
    const record = recordAfter(requested([ana, ben]), lineTaken(ana), turnCame(ana), signed(ana), lineReleased(ana));
    expect(record.open).toMatchObject([{ id: `e4:claim-turn:${ben}`, dueAt: minute(4) }]);
  });
  test("to all of a group at once, and to the next one when all of them have signed", () => {
    const grouped = requested([ana, ben, cyd], {}, [0, 0, 1]);
    expect(openAfter(grouped)).toEqual([`e1:claim-turn:${ana}`, `e1:claim-turn:${ben}`]);
    expect(openAfter(grouped, lineTaken(ben), turnCame(ben), signed(ben), lineReleased(ben))).toEqual([
      `e1:claim-turn:${ana}`,
    ]);
    expect(openAfter(grouped, signed(ben), signed(ana))).toEqual([`e3:claim-turn:${cyd}`]);
  });
  test("to nobody of a group any more once one of them rejects", () => {
    const grouped = requested([ana, ben], { channel: "legacy" }, [0, 0]);
    expect(openAfter(grouped, rejected(ana))).toEqual(["e2:report"]);
    expect(openAfter(grouped, lineTaken(ben), turnCame(ben), rejected(ana))).toEqual([
      "e4:report",
      `e4:release-turn:${ben}`,
    ]);
  });
  test("not to who signed before their turn: the one after them is next", () => {
    expect(openAfter(requested([ana, ben, cyd]), signed(ben))).toEqual([`e1:claim-turn:${ana}`]);
    expect(openAfter(requested([ana, ben, cyd]), signed(ben), signed(ana))).toEqual([`e3:claim-turn:${cyd}`]);
  });
  test("to a bulk row's signer once the document is prepared", () => {
    expect(openAfter(requestedInBulk())).toEqual(["e1:prepare"]);
    expect(recordAfter(requestedInBulk(), prepared).open).toMatchObject([
      { id: `e2:claim-turn:${ana}`, dueAt: minute(2) },
    ]);
  });
  test("no more after the document's end", () => {
    expect(openAfter(requested([ana, ben], { channel: "legacy" }), rejected(ben))).toEqual(["e2:report"]);
    expect(openAfter(requested(), signed(ana), completed)).toEqual(["e3:seal"]);
  });
  test("to nobody when the document sends no messages", () => {
    expect(openAfter(silent)).toEqual([]);
    expect(openAfter(silent, signed(ana))).toEqual([]);
  });
});

describe("announcing a turn is owed", () => {
  test("at once, when the line gave it to who waited", () => {
    const record = recordAfter(requested(), lineQueued(ana), queued(ana), lineTaken(ana));
    expect(record.open).toMatchObject([{ id: `e4:announce-turn:${ana}`, dueAt: minute(4) }]);
  });
  test("some seconds later, when the claimer can announce it", () =>
    expect(recordAfter(requested(), lineTaken(ana)).open[1]).toMatchObject({
      id: `e2:announce-turn:${ana}`,
      dueAt: minute(2, 5_000),
    }));
  test("until the document has it", () =>
    expect(openAfter(requested(), lineQueued(ana), queued(ana), lineTaken(ana), turnCame(ana))).toEqual([
      `e5:send-template:${ana}`,
    ]));
  test("not to who signed while waiting: the turn goes back", () => {
    const history = [requested([ana, ben]), lineQueued(ana), queued(ana), signed(ana), lineTaken(ana)];
    expect(openAfter(...history)).toEqual([`e4:release-turn:${ana}`, `e4:claim-turn:${ben}`]);
    expect(openAfter(...history, lineReleased(ana))).toEqual([`e4:claim-turn:${ben}`]);
  });
  test("no more after the document's end: the turn goes back", () =>
    expect(openAfter(requested([ana, ben], { channel: "legacy" }), lineTaken(ana), rejected(ben))).toEqual([
      "e3:report",
      `e3:release-turn:${ana}`,
    ]));
});

describe("giving a turn back is owed", () => {
  const turn = [requested([ana, ben]), lineTaken(ana), turnCame(ana)];

  test("when the signer has signed, until the line says so", () => {
    expect(openAfter(...turn, signed(ana))).toContain(`e4:release-turn:${ana}`);
    expect(openAfter(...turn, signed(ana), lineReleased(ana))).not.toContain(`e4:release-turn:${ana}`);
  });
  test("when the signer signed while waiting in line", () => {
    const waiting = [requested([ana, ben]), lineQueued(ana), queued(ana), signed(ana)];
    expect(openAfter(...waiting)).toContain(`e4:release-turn:${ana}`);
    expect(openAfter(...waiting, lineWithdrawn(ana))).toEqual([`e4:claim-turn:${ben}`]);
  });
  test("by every signer on a line, when the document ends", () => {
    const history = [...turn, signed(ana), lineQueued(ben), queued(ben), rejected(ben)];
    expect(openAfter(...history)).toEqual(["e7:report", `e4:release-turn:${ana}`, `e7:release-turn:${ben}`]);
  });
  test("when a message can't be delivered for good, and not while it is tried again", () => {
    expect(openAfter(...turn, attempted(template(ana)), failed(template(ana), 1, null))).toEqual([
      `e5:release-turn:${ana}`,
    ]);
    expect(openAfter(...turn, attempted(template(ana)), failed(template(ana), 1, minute(9)))).toEqual([
      `e3:send-template:${ana}`,
    ]);
  });
  test("not by who never claimed one", () =>
    expect(openAfter(requested([ana, ben, cyd]), signed(cyd), signed(ben))).toEqual([`e1:claim-turn:${ana}`]));
  test("as soon as the claim is recorded, when that comes after the signature", () => {
    expect(openAfter(requested([ana, ben]), signed(ana))).toEqual([`e2:claim-turn:${ben}`]);
    expect(openAfter(requested([ana, ben]), signed(ana), lineTaken(ana))).toEqual([
      `e3:release-turn:${ana}`,
      `e2:claim-turn:${ben}`,
    ]);
  });
  test("as soon as the claim is recorded, when that comes after the end", () => {
    const ended = [requested([ana, ben], { channel: "legacy" as const }), rejected(ben)];
    expect(openAfter(...ended, lineQueued(ana))).toEqual(["e2:report", `e3:release-turn:${ana}`]);
    expect(openAfter(...ended, lineQueued(ana), lineTaken(ana))).toEqual(["e2:report", `e3:release-turn:${ana}`]);
    expect(openAfter(...ended, lineQueued(ana), lineWithdrawn(ana))).toEqual(["e2:report"]);
  });
  test("again, when a late repeat of the claim put the signer on the line once more", () =>
    expect(openAfter(...turn, signed(ana), lineReleased(ana), lineTaken(ana))).toContain(`e6:release-turn:${ana}`));
});

describe("to give the turn up who does nothing is owed", () => {
  const asked = [requested([ana, ben], { silenceHours: 30 }), lineTaken(ana), turnCame(ana), attempted(template(ana))];
  const resent = event("ResendRequested", { signerId: ana, resendId: sample.grantId, by: requester });
  const endsOf = (...history: Parameters<typeof recordAfter>) =>
    recordAfter(...history)
      .open.filter(({ kind }) => kind.startsWith("end-"))
      .map(({ kind, dueAt }) => [kind, dueAt]);

  test("from when the message reached them, or from their refusal", () => {
    const reached = [...asked, sent(template(ana), "p1"), delivered(template(ana), "p1")];
    expect(endsOf(...reached)).toEqual([["end-silence", minute(6, 30 * 3_600_000)]]);
    expect(endsOf(...reached, refused(ana, "p1"))).toEqual([["end-refusal", minute(7, 72 * 3_600_000)]]);
  });
  test("from their refusal, also where they are given the phone after it", () => {
    const history = [...asked, sent(template(ana), "p1"), lineReleased(ana), resent, refused(ana, "p1")];
    expect(endsOf(...history)).toEqual([]);
    expect(endsOf(...history, lineTaken(ana))).toEqual([["end-refusal", minute(8, 72 * 3_600_000)]]);
  });
});

describe("a bulk row", () => {
  test("is to be prepared until it is, or can't be", () => {
    expect(recordAfter(requestedInBulk()).open).toMatchObject([
      { id: "e1:prepare", kind: "prepare", dueAt: minute(1) },
    ]);
    expect(openAfter(requestedInBulk(), prepared)).not.toContain("e1:prepare");
  });
  test("that can't be prepared is paid back", () => {
    const refund = { amount: 1, balance: 3, documentId };
    expect(openAfter(requestedInBulk(), preparationFailed)).toEqual(["e2:refund"]);
    expect(
      openAfter(requestedInBulk(), preparationFailed, { type: "CreditsRefunded", data: refund, personal: null }),
    ).toEqual([]);
  });
});

describe("a record", () => {
  test("is the document's that an event tells of", () => {
    expect(obligationsRecordId(recorded(requested(), 1))).toBe(documentId);
    expect(obligationsRecordId({ ...recorded(lineTaken(ana), 1), streamId: "line" })).toBe(documentId);
    const refund = { type: "CreditsRefunded" as const, data: { amount: 1, balance: 3, documentId }, personal: null };
    expect(obligationsRecordId({ ...recorded(refund, 1), streamId: sample.accountId })).toBe(documentId);
    const grant = { type: "CreditsGranted" as const, data: { amount: 1, balance: 3, grantId: null }, personal: null };
    expect(obligationsRecordId({ ...recorded(grant, 1), streamId: sample.accountId })).toBeUndefined();
  });
  test("begins with the request", () => {
    expect(evolveObligations(null, recorded(lineTaken(ana), 1))).toBeNull();
    const record = recordAfter(requested());
    expect(evolveObligations(record, recorded(requested(), 2))).toBe(record);
  });
  test("that is set aside owes nothing, whatever else is told of it", () => {
    const record = setAside(recordAfter(requested([ana, ben]), lineTaken(ana)));
    expect(record.open).toEqual([]);
    expect(evolveObligations(record, recorded(turnCame(ana), 3))).toBe(record);
  });
  test("survives JSON, and names no person", () => {
    const record = recordAfter(requested([ana, ben]), lineTaken(ana), turnCame(ana), attempted(template(ana)));
    expect(JSON.parse(JSON.stringify(record))).toEqual(record);
    expect(JSON.stringify(record)).not.toMatch(/Signer|30123456|5491122334455|Lease|ACME/);
  });
  test("leaves whoever wrote an event the time to do by itself what follows from it", () => {
    const dueTimes = (...history: Parameters<typeof recordAfter>) =>
      recordAfter(...history).open.map(({ dueAt }) => dueAt);
    expect(dueTimes(requested())).toEqual([minute(1, 5_000)]);
    expect(dueTimes(requested(), lineTaken(ana))).toEqual([minute(1, 5_000), minute(2, 5_000)]);
    expect(dueTimes(requested(), lineQueued(ana), queued(ana))).toEqual([]);
  });
});
