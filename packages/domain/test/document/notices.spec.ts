import type { DocumentEvent } from "@rubrica/events";
import {
  after,
  ana,
  answered,
  answeredAt,
  attempted,
  ben,
  byApp,
  completed,
  delivered,
  failed,
  given,
  link,
  now,
  read,
  refused,
  rejected,
  requested,
  sent,
  signed,
  template,
  turnCame,
} from "@rubrica/test-kit/document-history";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { documentFold, foldOf, type RecordNotice, recordNotice } from "../../src/index.ts";

const trying = [requested([ana, ben]), turnCame(ana), attempted(template(ana))];
const asked = [...trying, sent(template(ana), "p1")];
const reached = [...asked, delivered(template(ana), "p1")];
const invited = [...reached, answered(ana, "p1"), attempted(link(ana)), sent(link(ana), "p2")];

const isSent = { providerMessageId: "p1", medium: "wpp", notice: "sent" } as const;
const isDelivered = { providerMessageId: "p1", medium: "wpp", notice: "delivered" } as const;
const isRead = { providerMessageId: "p1", medium: "wpp", notice: "read" } as const;
const hasFailed = {
  providerMessageId: "p1",
  medium: "wpp",
  notice: "failed",
  reason: "unreachable",
  permanent: false,
  media: byApp,
  now,
  jitter: 0,
} as const;
const yes = { providerMessageId: "p1", medium: "wpp", notice: "answered", answer: "continue", at: answeredAt } as const;
const no = {
  providerMessageId: "p1",
  medium: "wpp",
  notice: "answered",
  answer: "no_continue",
  at: answeredAt,
} as const;

describe("delivered and read", () => {
  test("are recorded", () => {
    given(...asked)
      .when(recordNotice, isDelivered)
      .then(delivered(template(ana), "p1"));
    given(...reached)
      .when(recordNotice, isRead)
      .then(read(template(ana), "p1"));
  });
  test("are recorded once", () => {
    given(...reached)
      .when(recordNotice, isDelivered)
      .then();
    given(...reached, read(template(ana), "p1"))
      .when(recordNotice, isRead)
      .then();
  });
  test("read proves the delivery, should no word of it come", () => {
    given(...asked)
      .when(recordNotice, isRead)
      .then(delivered(template(ana), "p1"), read(template(ana), "p1"));
    given(...reached, read(template(ana), "p1"))
      .when(recordNotice, isDelivered)
      .then();
  });
  test("are told apart by message", () =>
    given(...invited)
      .when(recordNotice, { providerMessageId: "p2", medium: "wpp", notice: "delivered" })
      .then(delivered(link(ana), "p2")));
  test.each([
    ["the signature", [signed(ana)]],
    ["the document's completion", [signed(ana), signed(ben), completed]],
    ["a rejection", [rejected(ben)]],
  ])("are recorded after %s too: they are evidence", (_late, end) =>
    given(...asked, ...end)
      .when(recordNotice, isDelivered)
      .then(delivered(template(ana), "p1")),
  );
  test("count although the message was believed to have failed", () =>
    given(...asked, failed(template(ana), 1, after(10_000)))
      .when(recordNotice, isDelivered)
      .then(delivered(template(ana), "p1")));
});

describe("answers", () => {
  test("continue", () =>
    given(...reached)
      .when(recordNotice, yes)
      .then(answered(ana, "p1")));
  test("do not continue", () =>
    given(...reached)
      .when(recordNotice, no)
      .then(refused(ana, "p1")));
  test("prove the delivery", () =>
    given(...asked)
      .when(recordNotice, yes)
      .then(delivered(template(ana), "p1"), answered(ana, "p1")));
  test("continuing after a refusal counts", () =>
    given(...reached, refused(ana, "p1"))
      .when(recordNotice, yes)
      .then(answered(ana, "p1")));
  test("refusing after having continued counts, and continuing again after that", () => {
    given(...reached, answered(ana, "p1"))
      .when(recordNotice, no)
      .then(refused(ana, "p1"));
    const changing = [answered(ana, "p1", after(1)), refused(ana, "p1", true, after(2))];
    given(...reached, ...changing)
      .when(recordNotice, { ...yes, at: after(3) })
      .then(answered(ana, "p1", after(3)));
    given(...reached, ...changing, answered(ana, "p1", after(3)))
      .when(recordNotice, { ...no, at: after(4) })
      .then(refused(ana, "p1", true, after(4)));
  });
  test("that come late are recorded once, and change nothing: no word of a refusal goes to anybody", () => {
    const continued = [...reached, answered(ana, "p1", after(5))];
    given(...continued)
      .when(recordNotice, { ...no, at: after(4) })
      .then(refused(ana, "p1", false, after(4)));
    given(...continued, refused(ana, "p1", false, after(4)))
      .when(recordNotice, { ...no, at: after(3) })
      .then();
    const refusedLast = [...reached, answered(ana, "p1", after(1)), refused(ana, "p1", true, after(3))];
    for (const at of [after(1), after(2), after(3)]) {
      given(...refusedLast)
        .when(recordNotice, { ...yes, at })
        .then();
    }
  });
  test("count a hundred times, of whichever kind the last one is, and then neither", () => {
    const often = Array.from({ length: 50 }, (_, n) => [
      answered(ana, "p1", after(2 * n)),
      refused(ana, "p1", true, after(2 * n + 1)),
    ]).flat();
    const later = { at: after(200) };
    given(...reached, ...often.slice(0, -1))
      .when(recordNotice, { ...no, ...later })
      .then(refused(ana, "p1", true, later.at));
    given(...reached, ...often.slice(1))
      .when(recordNotice, { ...yes, ...later })
      .then(answered(ana, "p1", later.at));
    given(...reached, ...often)
      .when(recordNotice, { ...yes, ...later })
      .then();
    given(...reached, refused(ana, "p1"), ...often.slice(0, -1))
      .when(recordNotice, { ...no, ...later })
      .then();
  });
  test.each([
    ["the signature", [signed(ana)]],
    ["a rejection", [rejected(ben)]],
  ])("nothing follows from refusing after %s", (_late, end) =>
    given(...reached, ...end)
      .when(recordNotice, no)
      .then(refused(ana, "p1", false)),
  );
  test("pressing a button again is nothing", () => {
    given(...reached, answered(ana, "p1"))
      .when(recordNotice, yes)
      .then();
    given(...reached, refused(ana, "p1"))
      .when(recordNotice, no)
      .then();
    given(...reached, refused(ana, "p1"), answered(ana, "p1"))
      .when(recordNotice, no)
      .then();
  });
  test("may be given to any copy of the message", () =>
    given(...reached, sent(template(ana), "p9"))
      .when(recordNotice, { ...yes, providerMessageId: "p9" })
      .then(answered(ana, "p9")));
  test("to the link's message are none", () =>
    given(...invited)
      .when(recordNotice, { ...no, providerMessageId: "p2" })
      .then());
});

describe("a failure after the provider took the message", () => {
  test("is tried again", () =>
    given(...asked)
      .when(recordNotice, hasFailed)
      .then(failed(template(ana), 1, after(10_000))));
  test("is tried again no sooner than the provider wants", () =>
    given(...asked)
      .when(recordNotice, { ...hasFailed, pauseMs: 60_000 })
      .then(failed(template(ana), 1, after(60_000))));
  test("is given up when that is of no use", () =>
    given(...asked)
      .when(recordNotice, { ...hasFailed, permanent: true })
      .then(failed(template(ana), 1, null)));
  test.each([
    ["a repeated one", [...asked, failed(template(ana), 1, after(10_000))]],
    ["one after the delivery", [...reached]],
    ["one after the signature", [...asked, signed(ana)]],
    ["one after the document's end", [...asked, rejected(ben)]],
    [
      "one of a copy before the last",
      [...asked, failed(template(ana), 1, after(1)), attempted(template(ana), 2), sent(template(ana), "p2", 2)],
    ],
    [
      "one of a copy while the next is on its way",
      [...asked, failed(template(ana), 1, after(1)), attempted(template(ana), 2)],
    ],
  ])("is nothing when it is %s", (_why, history) =>
    given(...history)
      .when(recordNotice, hasFailed)
      .then(),
  );
});

describe("a notice that comes before the sending was recorded", () => {
  const { messageId } = template(ana);

  test("proves the sending, by the message's own id", () => {
    given(...trying)
      .when(recordNotice, { ...isDelivered, messageId })
      .then(sent(template(ana), "p1"), delivered(template(ana), "p1"));
    given(...trying)
      .when(recordNotice, { ...isSent, messageId })
      .then(sent(template(ana), "p1"));
    given(...trying)
      .when(recordNotice, { ...yes, messageId })
      .thenTypes("MessageSent", "MessageDelivered", "TemplateAnswered");
    given(...trying)
      .when(recordNotice, { ...hasFailed, messageId })
      .then(sent(template(ana), "p1"), failed(template(ana), 1, after(10_000)));
  });
  test("of an attempt that was believed to have failed proves it too: the message is not sent again", () =>
    given(...trying, failed(template(ana), 1, after(10_000)))
      .when(recordNotice, { ...isSent, messageId })
      .then(sent(template(ana), "p1")));
  test.each([
    ["is to be sent again", after(10_000)],
    ["was given up", null],
  ])(
    "of a failure, when the message %s, has both on record: the sending's own notice changes nothing then",
    (_what, next) => {
      const history = [...trying, failed(template(ana), 1, next)];
      const news = [sent(template(ana), "p1"), failed(template(ana), 1, next)];
      given(...history)
        .when(recordNotice, { ...hasFailed, messageId })
        .then(...news);
      given(...history, ...news)
        .when(recordNotice, { ...isSent, messageId })
        .then();
      given(...history, sent(template(ana), "p1"))
        .when(recordNotice, { ...hasFailed, messageId, permanent: next === null })
        .then(failed(template(ana), 1, next));
    },
  );
  test("is nothing once it was", () =>
    given(...asked)
      .when(recordNotice, { ...isSent, messageId })
      .then());
  test("of a copy that failed, when another copy was sent, is nothing", () =>
    given(...trying, attempted(template(ana), 2), sent(template(ana), "p2", 2))
      .when(recordNotice, { ...hasFailed, messageId })
      .then());
});

test("a notice of an unknown message is nothing", () => {
  given(...asked)
    .when(recordNotice, { ...yes, providerMessageId: "p7" })
    .then();
  given(...asked)
    .when(recordNotice, { ...yes, providerMessageId: "p7", messageId: "elsewhere" })
    .then();
  given().when(recordNotice, isDelivered).fails("unknown_document");
});

test("whatever order notices come in, and however often: each fact is recorded at most once, sent before all else", () => {
  const notices: RecordNotice[] = [isSent, isDelivered, isRead, yes, no];
  const anyOrder = fc.array(fc.constantFrom(...notices), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(anyOrder, (order) => {
      const news: DocumentEvent[] = [];
      let document = foldOf(documentFold, trying);
      for (const notice of order) {
        const events = recordNotice(document, { ...notice, messageId: template(ana).messageId });
        document = events.reduce(documentFold.evolve, document);
        news.push(...events);
      }
      const types = news.map(({ type }) => type);
      expect(new Set(types).size).toBe(types.length);
      expect(types.slice(0, 2)).toEqual(["MessageSent", "MessageDelivered"].slice(0, types.length));
    }),
  );
});
