import { sample } from "@rubrica/events";
import {
  after,
  ana,
  answered,
  attempted,
  delivered,
  failed,
  given,
  link,
  now,
  requested,
  sent,
  template,
  turnCame,
} from "@rubrica/test-kit/document-history";
import { describe, test } from "vitest";
import {
  attemptMessage,
  type Media,
  recordMessageFailed,
  recordMessageSent,
  recordNotice,
  signerKinds,
} from "../../src/index.ts";

const chain: Media = ["wpp", "sms", "email"];
const { delaysMs, maxAttempts: lastAttempt } = signerKinds["send-template"].retries;
const request = requested([ana]);
const withEmail = {
  ...request,
  personal: request.personal && {
    ...request.personal,
    signers: request.personal.signers.map((signer) => ({ ...signer, email: "ana@example.com" })),
  },
};
const turn = [withEmail, turnCame(ana)];
const providerBy = () => sample.provider;
const attempt = (number: number, media = chain) => ({ ...template(ana), attempt: number, media, providerBy, now });
const failure = (permanent: boolean) => ({
  ...template(ana),
  reason: "unreachable",
  permanent,
  media: chain,
  now,
  jitter: 0,
});
const toSms = failed(template(ana), 1, after(0), "unreachable", ["wpp", "sms"]);
const toEmail = failed(template(ana), 2, after(0), "unreachable", ["sms", "email"]);
const bySms = [...turn, attempted(template(ana)), toSms, attempted(template(ana), 2, "sms")];

describe("a message that failed for good by one medium", () => {
  test("goes by the next, at once, and each attempt names its own", () => {
    given(...turn, attempted(template(ana)))
      .when(recordMessageFailed, failure(true))
      .then(toSms);
    given(...turn, attempted(template(ana)), toSms)
      .when(attemptMessage, attempt(2))
      .then(attempted(template(ana), 2, "sms"));
    given(...bySms)
      .when(recordMessageFailed, failure(true))
      .then(toEmail);
    given(...bySms, toEmail)
      .when(attemptMessage, attempt(3))
      .then(attempted(template(ana), 3, "email"));
  });
  test("is given up with the last medium alone", () =>
    given(...bySms, toEmail, attempted(template(ana), 3, "email"))
      .when(recordMessageFailed, failure(true))
      .then(failed(template(ana), 3, null, "unreachable", ["email", "email"])));
  test("is not sent to an address that nobody gave", () =>
    given(request, turnCame(ana), attempted(template(ana)), toSms, attempted(template(ana), 2, "sms"))
      .when(recordMessageFailed, failure(true))
      .then(failed(template(ana), 2, null, "unreachable", ["sms", "sms"])));
  test("has as many attempts by the next one", () => {
    given(...bySms)
      .when(recordMessageFailed, failure(false))
      .then(failed(template(ana), 2, after(delaysMs[0] ?? 0), "unreachable", ["sms", "sms"]));
    given(...turn, attempted(template(ana), lastAttempt))
      .when(recordMessageFailed, failure(false))
      .then(failed(template(ana), lastAttempt, after(0), "unreachable", ["wpp", "sms"]));
    given(...turn, attempted(template(ana), lastAttempt))
      .when(attemptMessage, attempt(lastAttempt + 1))
      .then(failed(template(ana), lastAttempt, after(0), "attempts_exhausted", ["wpp", "sms"]));
  });
});

describe("the first medium", () => {
  test("is the first that reaches the signer", () => {
    given(...turn)
      .when(attemptMessage, attempt(1, ["email", "sms"]))
      .then(attempted(template(ana), 1, "email"));
    given(request, turnCame(ana))
      .when(attemptMessage, attempt(1, ["email", "sms"]))
      .then(attempted(template(ana), 1, "sms"));
  });
  test("is none where nothing reaches them: that is told once, and for good", () => {
    const nothing = failed(template(ana), 1, null, "no_address", ["email", "email"]);
    given(request, turnCame(ana))
      .when(attemptMessage, attempt(1, ["email"]))
      .then(nothing);
    given(request, turnCame(ana), nothing)
      .when(attemptMessage, attempt(1, ["email"]))
      .then();
  });
  test("is one that there is: what was begun by one that was taken away goes on by the first", () =>
    given(...bySms, failed(template(ana), 2, after(10_000), "busy", ["sms", "sms"]))
      .when(attemptMessage, attempt(3, ["wpp"]))
      .then(attempted(template(ana), 3, "wpp")));
  test("of the link is the one whose button asked for it", () =>
    given(...bySms, sent(template(ana), "s1", 2, "sms"), delivered(template(ana), "p1"), answered(ana, "p1"))
      .when(attemptMessage, { ...link(ana), attempt: 1, media: ["sms", "wpp"], providerBy, now })
      .then(attempted(link(ana), 1, "wpp")));
});

test("where there are no buttons, the link goes along", () =>
  given(...bySms)
    .when(recordMessageSent, { ...template(ana), providerMessageId: "s1" })
    .then(sent(template(ana), "s1", 2, "sms")));

const again = attempted(template(ana), 2);
test("a provider that has the message already may say so at another attempt", () =>
  given(...turn, attempted(template(ana)), sent(template(ana), "p1"), failed(template(ana), 1, after(1)), again)
    .when(recordMessageSent, { ...template(ana), providerMessageId: "p1" })
    .then(sent(template(ana), "p1", 2)));

describe("what the provider of a medium tells that was left for another", () => {
  const late = { providerMessageId: "p1", messageId: template(ana).messageId, medium: "wpp" as const };

  test("counts where it says that the message arrived", () =>
    given(...bySms)
      .when(recordNotice, { ...late, notice: "delivered" })
      .then(sent(template(ana), "p1", 2, "wpp"), delivered(template(ana), "p1")));
  test("is nothing where it says that it was taken, or failed", () => {
    given(...bySms)
      .when(recordNotice, { ...late, notice: "sent" })
      .then();
    given(...bySms)
      .when(recordNotice, { ...late, ...failure(true), notice: "failed" })
      .then();
  });
  test("of the present one, a failure has the next tried", () =>
    given(...bySms, sent(template(ana), "s1", 2, "sms"))
      .when(recordNotice, { ...late, ...failure(true), medium: "sms", providerMessageId: "s1", notice: "failed" })
      .then(toEmail));
});
