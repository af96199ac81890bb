import { type DeliveryEvent, sample, type TreeHead } from "@rubrica/events";
import { describe, expect, test } from "vitest";
import {
  attemptDelivery,
  deliveryFold,
  recordDelivered,
  recordDeliveryFailed,
  requestRedelivery,
  webhookRetries,
} from "../src/index.ts";
import { given as givenFold } from "../src/testing.ts";

const given = (...history: DeliveryEvent[]) => givenFold(deliveryFold, ...history);
const webhook = { webhookId: "e5:webhook:alert", documentId: sample.documentId, webhookType: "alert" as const };
const now = Date.parse("2026-11-21T12:00:00.000Z");
const after = (ms: number) => new Date(now + ms).toISOString();

const attempted = (attempt: number, head: TreeHead | null = null): DeliveryEvent => ({
  type: "WebhookAttempted",
  data: { ...webhook, attempt, head },
  personal: null,
});
const delivered = (attempt: number): DeliveryEvent => ({
  type: "WebhookDelivered",
  data: { ...webhook, attempt, status: 204, durationMs: 80 },
  personal: null,
});
const failed = (attempt: number, nextAttemptAt: string, status: number | null = 503): DeliveryEvent => ({
  type: "WebhookAttemptFailed",
  data: { ...webhook, attempt, reason: "status", status, durationMs: 80, nextAttemptAt },
  personal: null,
});
const abandoned = (reason: string, status: number | null, attempt = 10): DeliveryEvent => ({
  type: "WebhookAbandoned",
  data: { ...webhook, attempt, reason, status },
  personal: null,
});
const success = { status: 204, durationMs: 80 };
const failure = { reason: "status", permanent: false, status: 503, durationMs: 80, now, jitter: 0 };

test("a webhook is tried at once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h", () => {
  const [second, minute, hour] = [1_000, 60_000, 3_600_000];
  expect(webhookRetries.delaysMs).toEqual([
    5 * second,
    5 * minute,
    30 * minute,
    2 * hour,
    5 * hour,
    10 * hour,
    14 * hour,
    20 * hour,
    24 * hour,
  ]);
});

describe("an attempt", () => {
  const nth = (attempt: number, head: TreeHead | null = null) => ({ ...webhook, attempt, head });
  const [newest, newer] = [
    { size: 3, root: sample.sha256 },
    { size: 5, root: "77".repeat(32) },
  ];
  test("tells of the log's newest head as the first one found it, also when it is asked for again", () => {
    given().when(attemptDelivery, nth(1, newest)).then(attempted(1, newest));
    given(attempted(1, newest)).when(attemptDelivery, nth(2, newer)).then(attempted(2, newest));
    given(attempted(1, newest), failed(1, after(0)))
      .when(attemptDelivery, nth(2, newer))
      .then(attempted(2, newest));
    given(attempted(1)).when(attemptDelivery, nth(2, newer)).then(attempted(2));
  });
  test("is recorded before it is made", () => given().when(attemptDelivery, nth(1)).then(attempted(1)));
  test("follows one that failed, or was cut", () => {
    given(attempted(1), failed(1, after(0)))
      .when(attemptDelivery, nth(2))
      .then(attempted(2));
    given(attempted(1)).when(attemptDelivery, nth(2)).then(attempted(2));
  });
  test("is begun once, whoever else was about to", () => {
    given(attempted(1)).when(attemptDelivery, nth(1)).then();
    given(attempted(1), failed(1, after(0)))
      .when(attemptDelivery, nth(1))
      .then();
  });
  test("is one of ten, even if each is cut", () => {
    given(attempted(9)).when(attemptDelivery, nth(10)).then(attempted(10));
    given(attempted(10)).when(attemptDelivery, nth(11)).then(abandoned("attempts_exhausted", null));
  });
  test("is not made once it is over", () => {
    given(attempted(1), delivered(1)).when(attemptDelivery, nth(2)).then();
    given(attempted(10), abandoned("status", 503)).when(attemptDelivery, nth(11)).then();
  });
});

describe("a success", () => {
  test("is recorded, once", () => {
    given(attempted(3)).when(recordDelivered, success).then(delivered(3));
    given(attempted(3), delivered(3)).when(recordDelivered, success).then();
  });
  test("counts although the attempt was believed to have failed", () =>
    given(attempted(1), failed(1, after(0)))
      .when(recordDelivered, success)
      .then(delivered(1)));
  test("comes too late for what was abandoned", () =>
    given(attempted(10), abandoned("status", 503)).when(recordDelivered, success).then());
  test("is of an attempt", () => given().when(recordDelivered, success).fails("unknown_delivery"));
});

describe("a failure", () => {
  test.each(webhookRetries.delaysMs.map((delayMs, index) => [index + 1, delayMs]))(
    "of attempt %i is tried again %i ms later",
    (attempt, delayMs) =>
      given(attempted(attempt))
        .when(recordDeliveryFailed, failure)
        .then(failed(attempt, after(delayMs))),
  );
  test("is tried up to a tenth later, by chance, never sooner", () =>
    given(attempted(2))
      .when(recordDeliveryFailed, { ...failure, jitter: 0.999 })
      .then(failed(2, after(329_970))));
  test("of the tenth attempt abandons the webhook", () =>
    given(attempted(10)).when(recordDeliveryFailed, failure).then(abandoned("status", 503)));
  test("that trying again does not help abandons the webhook at once", () =>
    given(attempted(2))
      .when(recordDeliveryFailed, { ...failure, reason: "forgotten", permanent: true, status: null })
      .then(abandoned("forgotten", null, 2)));
  test("may be that no answer came", () =>
    given(attempted(1))
      .when(recordDeliveryFailed, { ...failure, status: null })
      .then(failed(1, after(5_000), null)));
  test("is recorded once for each attempt", () => {
    given(attempted(1), failed(1, after(0)))
      .when(recordDeliveryFailed, failure)
      .then();
    given(attempted(1), delivered(1)).when(recordDeliveryFailed, failure).then();
    given(attempted(10), abandoned("status", 503)).when(recordDeliveryFailed, failure).then();
  });
  test("is of an attempt", () => given().when(recordDeliveryFailed, failure).fails("unknown_delivery"));
});

describe("a webhook that is asked for again", () => {
  const redeliveryId = sample.grantId;
  const askedAgain = (attempt: number): DeliveryEvent => ({
    type: "WebhookRedeliveryRequested",
    data: { ...webhook, attempt, redeliveryId },
    personal: null,
  });

  test("is recorded, whatever came of it", () => {
    given(attempted(1), delivered(1)).when(requestRedelivery, { redeliveryId }).then(askedAgain(1));
    given(attempted(1), failed(1, after(0)))
      .when(requestRedelivery, { redeliveryId })
      .then(askedAgain(1));
    given(attempted(10), abandoned("status", 503)).when(requestRedelivery, { redeliveryId }).then(askedAgain(10));
  });
  test("is recorded once for each time, also when it was delivered meanwhile", () => {
    const again = [attempted(1), delivered(1), askedAgain(1)];
    given(...again)
      .when(requestRedelivery, { redeliveryId: sample.keyId })
      .then();
    given(...again, attempted(2), delivered(2))
      .when(requestRedelivery, { redeliveryId })
      .then();
  });
  test("is not asked for while an attempt is under way, nor before there was one", () => {
    given(attempted(1)).when(requestRedelivery, { redeliveryId }).then();
    given().when(requestRedelivery, { redeliveryId }).fails("unknown_delivery");
  });
  test("has ten attempts more, from the first pause on", () => {
    const again = [attempted(10), abandoned("status", 503), askedAgain(10)];
    given(...again)
      .when(attemptDelivery, { ...webhook, attempt: 11, head: null })
      .then(attempted(11));
    given(...again, attempted(11))
      .when(recordDeliveryFailed, failure)
      .then(failed(11, after(5_000)));
    given(...again, attempted(20))
      .when(recordDeliveryFailed, failure)
      .then(abandoned("status", 503, 20));
    given(...again, attempted(20))
      .when(attemptDelivery, { ...webhook, attempt: 21, head: null })
      .then(abandoned("attempts_exhausted", null, 20));
  });
});
