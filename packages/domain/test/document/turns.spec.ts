import {
  ana,
  attempted,
  ben,
  completed,
  cyd,
  delivered,
  failed,
  given,
  lineOf,
  otherDocumentId,
  preparationFailed,
  prepared,
  queued,
  rejected,
  requested,
  requestedInBulk,
  signed,
  template,
  turnCame,
} from "@rubrica/test-kit/document-history";
import { describe, expect, test } from "vitest";
import { documentFold, foldOf, nextSigners, recordQueued, recordTurnCome, releaseReason } from "../../src/index.ts";

const behind = { behindDocumentId: otherDocumentId };

describe("a signer's turn", () => {
  test("comes", () => given(requested()).when(recordTurnCome, { signerId: ana }).then(turnCame(ana)));
  test("comes once", () => given(requested(), turnCame(ana)).when(recordTurnCome, { signerId: ana }).then());
  test("comes after waiting in line", () =>
    given(requested(), queued(ana)).when(recordTurnCome, { signerId: ana }).then(turnCame(ana)));
  test("never comes when the document sends no messages", () =>
    given(requested([ana], { sendMessages: false }))
      .when(recordTurnCome, { signerId: ana })
      .then());

  test("passes over a signer who signed before it", () =>
    given(requested([ana, ben]), signed(ana))
      .when(recordTurnCome, { signerId: ana })
      .then());
  test.each([
    ["completion", [signed(ana), completed]],
    ["rejection", [rejected(ana)]],
  ])("does not come after the document's %s", (_end, end) =>
    given(requested(), ...end)
      .when(recordTurnCome, { signerId: ana })
      .then(),
  );
  test("does not come after a failed preparation", () =>
    given(requestedInBulk(), preparationFailed).when(recordTurnCome, { signerId: ana }).then());

  test("comes in the signing order only", () => {
    given(requested([ana, ben]))
      .when(recordTurnCome, { signerId: ben })
      .fails("not_next_signer");
    given(requested([ana, ben]), signed(ana))
      .when(recordTurnCome, { signerId: ben })
      .then(turnCame(ben));
  });
  test("comes once there is something to sign", () => {
    given(requestedInBulk()).when(recordTurnCome, { signerId: ana }).fails("document_being_prepared");
    given(requestedInBulk(), prepared).when(recordTurnCome, { signerId: ana }).then(turnCame(ana));
  });
  test("is a signer's of the document", () => {
    given(requested()).when(recordTurnCome, { signerId: ben }).fails("unknown_signer");
    given().when(recordTurnCome, { signerId: ana }).fails("unknown_document");
  });
});

describe("a signer whose phone has another active document", () => {
  test("is queued behind it", () =>
    given(requested())
      .when(recordQueued, { signerId: ana, ...behind })
      .then({
        type: "SignerQueued",
        data: { signerId: ana, lineId: lineOf[ana] ?? "", behindDocumentId: otherDocumentId },
        personal: null,
      }));
  test("is queued once, whoever holds the turn by then", () =>
    given(requested(), queued(ana)).when(recordQueued, { signerId: ana, behindDocumentId: ben }).then());
  test("is not queued when the turn came meanwhile", () =>
    given(requested(), turnCame(ana))
      .when(recordQueued, { signerId: ana, ...behind })
      .then());
  test("is not queued after signing", () =>
    given(requested([ana, ben]), signed(ana))
      .when(recordQueued, { signerId: ana, ...behind })
      .then());
  test("is not queued after the document's end", () =>
    given(requested([ana, ben]), rejected(ben))
      .when(recordQueued, { signerId: ana, ...behind })
      .then());
  test("is never queued when the document sends no messages", () =>
    given(requested([ana], { sendMessages: false }))
      .when(recordQueued, { signerId: ana, ...behind })
      .then());
  test("is queued in the signing order only", () =>
    given(requested([ana, ben]))
      .when(recordQueued, { signerId: ben, ...behind })
      .fails("not_next_signer"));
});

describe("the next signer", () => {
  const next = (...history: Parameters<typeof given>) =>
    nextSigners(foldOf(documentFold, history)).map(({ signerId }) => signerId);

  test("is the first by order who has not signed", () => {
    expect(next(requested([ana, ben, cyd]))).toEqual([ana]);
    expect(next(requested([ana, ben, cyd]), signed(ana))).toEqual([ben]);
    expect(next(requested([ana, ben, cyd]), signed(ben))).toEqual([ana]);
    expect(next(requested([ana, ben, cyd]), signed(ben), signed(ana))).toEqual([cyd]);
  });
  test("are all of a group together, then those of the next one", () => {
    const grouped = requested([ana, ben, cyd], {}, [0, 0, 1]);
    expect(next(grouped)).toEqual([ana, ben]);
    expect(next(grouped, signed(ben))).toEqual([ana]);
    expect(next(grouped, signed(ben), signed(ana))).toEqual([cyd]);
    given(grouped).when(recordTurnCome, { signerId: ben }).then(turnCame(ben));
    given(grouped, signed(ana)).when(recordTurnCome, { signerId: cyd }).fails("not_next_signer");
  });
  test("goes by the signing order, not by the input's", () => {
    const request = requested([ana, ben]);
    const signers = request.data.signers.map((signer) => ({
      ...signer,
      order: 1 - signer.order,
      group: 1 - signer.group,
    }));
    expect(next({ ...request, data: { ...request.data, signers } })).toEqual([ben]);
  });
  test("is nobody before the request and after the end", () => {
    expect(next()).toEqual([]);
    expect(next(requested(), signed(ana), completed)).toEqual([]);
    expect(next(requested([ana, ben]), rejected(ben))).toEqual([]);
  });
});

describe("a turn is given up", () => {
  const reason = (...history: Parameters<typeof given>) => releaseReason(foldOf(documentFold, history), ana);

  test("when the signer signed", () => expect(reason(requested([ana, ben]), signed(ana))).toBe("signed"));
  test("when the document ended", () => expect(reason(requested([ana, ben]), rejected(ben))).toBe("document_ended"));
  test("when the message can't be delivered for good", () =>
    expect(reason(requested(), turnCame(ana), attempted(template(ana)), failed(template(ana), 1, null))).toBe(
      "undeliverable",
    ));
  test("for good: a message that arrives after all does not take it back", () => {
    const givenUp = [requested(), turnCame(ana), attempted(template(ana)), failed(template(ana), 1, null)];
    expect(reason(...givenUp, delivered(template(ana), "p1"))).toBe("undeliverable");
  });
  test("not before, and not while a message is tried again", () => {
    expect(reason(requested(), turnCame(ana))).toBeNull();
    expect(
      reason(
        requested(),
        turnCame(ana),
        attempted(template(ana)),
        failed(template(ana), 1, "2026-11-21T12:00:10.000Z"),
      ),
    ).toBeNull();
  });
});
