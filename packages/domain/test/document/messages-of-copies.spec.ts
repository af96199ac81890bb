import { sample } from "@rubrica/events";
import {
  after,
  ana,
  attempted,
  completed,
  copy,
  event,
  failed,
  given,
  now,
  rejected,
  requested,
  seal,
  sealed,
  sent,
  signed,
  template,
  turnCame,
} from "@rubrica/test-kit/document-history";
import { describe, expect, test } from "vitest";
import {
  attemptMessage,
  documentFold,
  foldOf,
  type Media,
  recordMessageFailed,
  recordMessageSent,
  recordNotice,
  releaseReason,
} from "../../src/index.ts";
import { openAfter, recordAfter } from "../obligations/fixtures.ts";

const media: Media = ["wpp", "sms"];
const asked = [
  requested([ana], { hasWebhook: true }),
  turnCame(ana),
  attempted(template(ana)),
  sent(template(ana), "p1"),
];
const signedByAll = [...asked, signed(ana), completed];
const done = [...signedByAll, sealed];
const providerBy = () => sample.provider;
const attempt = (number: number) => ({ ...copy(ana), attempt: number, media, providerBy, now });
const failure = { ...copy(ana), reason: "unreachable", permanent: true, media, now, jitter: 0 };
const givenUp = failed(copy(ana), 2, null, "unreachable", ["sms", "sms"]);

/** Kinds of what is open, webhooks apart. */
const kindsAfter = (...history: Parameters<typeof recordAfter>) =>
  recordAfter(...history)
    .open.map(({ kind }) => kind)
    .filter((kind) => kind !== "webhook" && kind !== "report");

describe("where the signed copy is", () => {
  test("is told once the document is sealed, once", () => {
    expect(kindsAfter(...signedByAll)).toEqual(["seal"]);
    expect(kindsAfter(...done)).toEqual(["send-copy"]);
    given(...done)
      .when(attemptMessage, attempt(1))
      .then(attempted(copy(ana)));
    given(...done, attempted(copy(ana)))
      .when(recordMessageSent, { ...copy(ana), providerMessageId: "p2" })
      .then(sent(copy(ana), "p2"));
    const told = [...done, attempted(copy(ana)), sent(copy(ana), "p2")];
    expect(kindsAfter(...told)).toEqual([]);
    given(...told)
      .when(attemptMessage, attempt(2))
      .then();
  });
  test("has one id for all its attempts", () => {
    const [id = ""] = openAfter(...done).filter((open) => open.includes("send-copy"));
    const message = { signerId: ana, kind: "copy" as const, messageId: id };
    const again = openAfter(...done, attempted(message), failed(message, 1, after(10_000)));
    expect(again.filter((open) => open.includes("send-copy"))).toEqual([id]);
    const late = openAfter(...done, attempted(message), sent(message, "p2"), failed(message, 1, after(10_000)));
    expect(late.filter((open) => open === id)).toEqual([id]);
  });
  test("goes by what reached the signer last", () => {
    const bySms = [attempted(template(ana), 2, "sms"), sent(template(ana), "s1", 2, "sms")];
    given(requested([ana]), turnCame(ana), attempted(template(ana)), ...bySms, signed(ana), completed, sealed)
      .when(attemptMessage, attempt(1))
      .then(attempted(copy(ana), 1, "sms"));
  });
  test("is told by the next medium where one fails for good", () =>
    given(...done, attempted(copy(ana)))
      .when(recordMessageFailed, failure)
      .then(failed(copy(ana), 1, after(0), "unreachable", ["wpp", "sms"])));
  test("is told to nobody before the seal", () =>
    given(...signedByAll)
      .when(attemptMessage, attempt(1))
      .fails("message_not_due"));

  const silent = [requested([ana], { sendMessages: false }), signed(ana), completed, sealed];
  test.each([
    ["of documents that send no messages", silent],
    ["who were never reached", [requested([ana]), signed(ana), completed, sealed]],
    [
      "where it was switched off when it was sealed",
      [...signedByAll, event("DocumentSealed", { ...seal, sendCopies: false })],
    ],
  ])("is told to no signers %s", (_who, history) => {
    expect(kindsAfter(...history)).toEqual([]);
    given(...history)
      .when(attemptMessage, attempt(1))
      .fails("message_not_due");
  });

  test("is told to nobody of a document that was rejected", () => {
    expect(kindsAfter(...asked, rejected(ana))).not.toContain("send-copy");
    given(...asked, rejected(ana))
      .when(attemptMessage, attempt(1))
      .fails("message_not_due");
  });

  test("is told to nobody once the document was erased", () => {
    const erased = event("DocumentErased", { cause: "requested", requestedAt: after(0), customIds: [] });
    expect(kindsAfter(...done, erased)).toEqual(["forget"]);
    given(...done, erased)
      .when(attemptMessage, attempt(1))
      .then();
    given(...done, attempted(copy(ana)), erased)
      .when(recordMessageFailed, failure)
      .then();
  });
});

describe("a copy that can't be delivered for good", () => {
  const lost = [...done, attempted(copy(ana)), failed(copy(ana), 1, after(0), "unreachable", ["wpp", "sms"])];
  const history = [...lost, attempted(copy(ana), 2, "sms"), givenUp];

  test("calls nobody back, and makes nobody undeliverable", () => {
    expect(recordAfter(...history).open.map(({ webhookType }) => webhookType)).not.toContain("msg");
    expect(recordAfter(...history).signers).toMatchObject([{ copy: "given_up", undeliverable: false }]);
    expect(releaseReason(foldOf(documentFold, history), ana)).toBe("signed");
    expect(kindsAfter(...history)).toEqual([]);
  });
  test("is told by a notice as by an answer", () =>
    given(...lost, attempted(copy(ana), 2, "sms"), sent(copy(ana), "s2", 2, "sms"))
      .when(recordNotice, { ...failure, notice: "failed", medium: "sms", providerMessageId: "s2" })
      .then(givenUp));
});
