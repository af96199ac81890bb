import { sample } from "@rubrica/events";
import {
  after,
  ana,
  answered,
  attempted,
  ben,
  byApp,
  completed,
  delivered,
  failed,
  given,
  link,
  now,
  queued,
  read,
  rejected,
  requested,
  sent,
  signed,
  template,
  turnCame,
} from "@rubrica/test-kit/document-history";
import { describe, test } from "vitest";
import {
  attemptMessage,
  type MessageNamed,
  recordMessageFailed,
  recordMessageSent,
  signerKinds,
} from "../../src/index.ts";

const turn = [requested([ana, ben]), turnCame(ana)];
const asked = [...turn, attempted(template(ana)), sent(template(ana), "p1")];
const answeredYes = [...asked, answered(ana, "p1")];
const failure = { reason: "unreachable", permanent: false, media: byApp, now, jitter: 0 };
const providerBy = () => sample.provider;
const nth = (named: MessageNamed, attempt: number, media = byApp) => ({ ...named, attempt, media, providerBy, now });
const { delaysMs, maxAttempts: lastAttempt } = signerKinds["send-template"].retries;

describe("an attempt at a message", () => {
  test("is recorded before it is made", () =>
    given(...turn)
      .when(attemptMessage, nth(template(ana), 1))
      .then(attempted(template(ana))));
  test("follows one that was cut before its outcome was known", () =>
    given(...turn, attempted(template(ana)))
      .when(attemptMessage, nth(template(ana), 2))
      .then(attempted(template(ana), 2)));
  test("follows one that failed", () =>
    given(...turn, attempted(template(ana)), failed(template(ana), 1, after(10_000)))
      .when(attemptMessage, nth(template(ana), 2))
      .then(attempted(template(ana), 2)));
  test("is begun once, whoever else was about to", () => {
    given(...turn, attempted(template(ana)))
      .when(attemptMessage, nth(template(ana), 1))
      .then();
    given(...turn, attempted(template(ana)), failed(template(ana), 1, after(10_000)))
      .when(attemptMessage, nth(template(ana), 1))
      .then();
  });

  test.each([
    ["was sent", [...asked]],
    ["was delivered", [...asked, delivered(template(ana), "p1")]],
    ["was given up", [...turn, attempted(template(ana)), failed(template(ana), 1, null)]],
    [
      "failed, but was delivered after all",
      [...asked, failed(template(ana), 1, after(1)), delivered(template(ana), "p1")],
    ],
    ["is for a signer who has signed", [...turn, signed(ana)]],
    ["is of a document that was rejected", [...turn, rejected(ben)]],
    ["is of a document that was completed", [...turn, signed(ana), signed(ben), completed]],
  ])("is not made when the message %s", (_why, history) => {
    for (const attempt of [1, 2])
      given(...history)
        .when(attemptMessage, nth(template(ana), attempt))
        .then();
  });

  test("is one of a bounded number, even if each is cut", () => {
    given(...turn, attempted(template(ana), lastAttempt - 1))
      .when(attemptMessage, nth(template(ana), lastAttempt))
      .then(attempted(template(ana), lastAttempt));
    given(...turn, attempted(template(ana), lastAttempt))
      .when(attemptMessage, nth(template(ana), lastAttempt + 1))
      .then(failed(template(ana), lastAttempt, null, "attempts_exhausted"));
  });
});

describe("no message goes out", () => {
  test("before the signer's turn", () => {
    given(requested())
      .when(attemptMessage, nth(template(ana), 1))
      .fails("message_not_due");
    given(requested(), queued(ana))
      .when(attemptMessage, nth(template(ana), 1))
      .fails("message_not_due");
  });
  test("with the link before the signer chose to continue", () =>
    given(...asked)
      .when(attemptMessage, nth(link(ana), 1))
      .fails("message_not_due"));
  test("of a document that sends none", () => {
    const silent = requested([ana], { sendMessages: false });
    given(silent, turnCame(ana))
      .when(attemptMessage, nth(template(ana), 1))
      .fails("message_not_due");
  });
  test("to somebody who is no signer", () =>
    given(requested())
      .when(attemptMessage, nth(template(ben), 1))
      .fails("unknown_signer"));
});

describe("the link", () => {
  test("is sent after the answer, as a message of its own", () => {
    given(...answeredYes)
      .when(attemptMessage, nth(link(ana), 1))
      .then(attempted(link(ana)));
    given(...answeredYes, attempted(link(ana)))
      .when(recordMessageSent, { ...link(ana), providerMessageId: "p2" })
      .then(sent(link(ana), "p2"));
  });
});

describe("a message that the provider took", () => {
  const taken = { ...template(ana), providerMessageId: "p1" };

  test("was sent, with the attempt that it was", () => {
    given(...turn, attempted(template(ana)))
      .when(recordMessageSent, taken)
      .then(sent(template(ana), "p1"));
    given(...turn, attempted(template(ana), 2))
      .when(recordMessageSent, taken)
      .then(sent(template(ana), "p1", 2));
  });
  test("is recorded once", () =>
    given(...asked)
      .when(recordMessageSent, taken)
      .then());
  test("is recorded for each copy that it took: the signer may answer either", () =>
    given(...turn, attempted(template(ana)), attempted(template(ana), 2), sent(template(ana), "p1", 2))
      .when(recordMessageSent, { ...taken, providerMessageId: "p2" })
      .then(sent(template(ana), "p2", 2)));
  test("was sent although the signer signed meanwhile", () =>
    given(...turn, attempted(template(ana)), signed(ana))
      .when(recordMessageSent, taken)
      .then(sent(template(ana), "p1")));
  test("was attempted before", () =>
    given(...turn)
      .when(recordMessageSent, taken)
      .fails("unknown_message"));
});

describe("a message that the provider did not take", () => {
  const trying = (attempt: number) => [...turn, attempted(template(ana), attempt)];

  test.each(delaysMs.map((delayMs, index) => [index + 1, delayMs]))(
    "is tried again after attempt %i, %i ms later",
    (attempt, delayMs) =>
      given(...trying(attempt))
        .when(recordMessageFailed, { ...template(ana), ...failure })
        .then(failed(template(ana), attempt, after(delayMs))),
  );
  test("is tried up to a tenth later, by chance", () =>
    given(...trying(1))
      .when(recordMessageFailed, { ...template(ana), ...failure, jitter: 0.5 })
      .then(failed(template(ana), 1, after(10_500))));
  test("is given up after the last attempt", () =>
    given(...trying(lastAttempt))
      .when(recordMessageFailed, { ...template(ana), ...failure })
      .then(failed(template(ana), lastAttempt, null)));
  test("is given up at once when that is of no use", () =>
    given(...trying(1))
      .when(recordMessageFailed, { ...template(ana), ...failure, permanent: true })
      .then(failed(template(ana), 1, null)));

  test.each([
    ["this attempt's failure is known", [...trying(1), failed(template(ana), 1, after(1))]],
    ["another attempt got through", [...asked]],
    ["it was delivered", [...asked, delivered(template(ana), "p1"), read(template(ana), "p1")]],
    ["the signer has signed", [...trying(1), signed(ana)]],
    ["the document ended", [...trying(1), rejected(ben)]],
  ])("is not recorded when %s", (_why, history) =>
    given(...history)
      .when(recordMessageFailed, { ...template(ana), ...failure })
      .then(),
  );
  test("was attempted before", () =>
    given(...turn)
      .when(recordMessageFailed, { ...template(ana), ...failure })
      .fails("unknown_message"));
});
