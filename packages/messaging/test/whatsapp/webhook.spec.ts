import { createHmac } from "node:crypto";
import {
  type Document,
  documentFold,
  foldOf,
  keepNotices,
  type ReceivedNotices,
  type RecordNotice,
  receivedNoticesFold,
  recordNotice,
  requestedDocument,
} from "@rubrica/domain";
import { type Notice, noticesIdOf, sample } from "@rubrica/events";
import type { Random } from "@rubrica/runtime";
import { seededRandom } from "@rubrica/runtime/testing";
import { event, failed, now, requested, sent, turnCame } from "@rubrica/test-kit/document-history";
import { idOf } from "@rubrica/test-kit/messaging/whatsapp";
import { describe, expect, test } from "vitest";
import { isSignedByApp, noticesOf } from "../../src/whatsapp/index.ts";
import { call, others, type Story, sender, stories } from "./examples.ts";

const ORDERS = 1_000;
const SECRET = "secret-of-the-app";

const signerOf = ({ messageId }: Story) => `019aa5c0-0000-7000-8000-${messageId.slice(2).padStart(12, "0")}`;
const messageOf = (story: Story) => ({
  signerId: signerOf(story),
  kind: "template" as const,
  messageId: story.messageId,
});

/** What the service knows before anything is told: an answer was kept, lost, or believed a failure. */
const history = stories.flatMap((story, index) => {
  const message = messageOf(story);
  const data = { provider: sample.provider, ...message, medium: "wpp" as const, attempt: 1 };
  const attempted = event("MessageAttempted", data);
  const isKnown = index % 3 === 0 || story.name === "without our mark";
  const isBelievedLost = index % 3 === 2 && !isKnown;
  return [
    turnCame(message.signerId),
    attempted,
    ...(isKnown ? [sent(message, idOf(story.wamid))] : []),
    ...(isBelievedLost ? [failed(message, 1, new Date(now + 60_000).toISOString())] : []),
  ];
});
const before = foldOf(documentFold, [requested(stories.map(signerOf)), ...history]);

/** The service's side: what it kept, and what its document came to. */
const service = (random: Random) => {
  const kept = new Map<string, ReceivedNotices>();
  let document: Document = before;
  const record = (notice: Notice) => {
    const { providerMessageId, messageId } = notice;
    const named = { providerMessageId, messageId: messageId ?? undefined, medium: "wpp" as const };
    document = recordNotice(document, commandOf(notice, named)).reduce(documentFold.evolve, document);
  };
  return {
    /** Whether it was answered with 200. */
    take(body: Buffer, signature: string): boolean {
      if (!isSignedByApp(body, signature, [SECRET])) return false;
      const notices = noticesOf(JSON.parse(body.toString("utf8")), { phoneNumberId: sender.phoneNumberId, idOf });
      if (notices.length === 0) return true;
      const id = noticesIdOf(notices);
      const received = kept.get(id) ?? receivedNoticesFold.initial;
      const events = keepNotices(received, { medium: "wpp", notices, now });
      kept.set(id, events.reduce(receivedNoticesFold.evolve, received));
      if (events.length === 0) return true;
      // Whoever handles them is cut somewhere, and begins anew.
      for (const notice of notices.slice(0, Math.floor(random.fraction() * (notices.length + 1)))) record(notice);
      for (const notice of notices) record(notice);
      return true;
    },
    /** Of several presses of one button, which one is recorded is a matter of order: that one was, and which button was last, is not. */
    state: () => {
      const { signers, ...rest } = requestedDocument(document);
      return {
        ...rest,
        signers: signers.map(({ continuedAt, lastAnswer, ...signer }) => ({
          ...signer,
          continued: continuedAt !== null,
          hasLastRefused: lastAnswer?.isRefusal,
        })),
      };
    },
  };
};

const commandOf = (
  notice: Notice,
  named: Pick<RecordNotice, "providerMessageId" | "messageId" | "medium">,
): RecordNotice => {
  if (notice.kind === "failed") {
    const { reason, permanent } = notice;
    return { notice: "failed", ...named, reason, permanent, media: ["wpp"], now, jitter: 0 };
  }
  return notice.kind === "answered"
    ? { notice: "answered", ...named, answer: notice.answer, at: notice.at }
    : { notice: notice.kind, ...named };
};

const signed = (body: Buffer): string => `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`;

const shuffled = <Item>(items: readonly Item[], random: Random): Item[] =>
  items
    .map((item) => ({ item, place: random.fraction() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);

/** In calls of one to six values, some of them told two or three times, all in any order. */
const callsOf = (values: readonly object[], random: Random): Buffer[] => {
  const left = shuffled(values, random);
  const calls: Buffer[] = [];
  while (left.length > 0) calls.push(call(left.splice(0, 1 + Math.floor(random.fraction() * 6))));
  const again = calls.flatMap((body) => (random.fraction() < 0.3 ? [body, body] : []));
  return shuffled([...calls, ...again], random);
};

const told = [...stories.flatMap(({ values }) => values), ...others];

/** What the document comes to when all is told in this order; one call in five breaks off on its way, and comes again. */
const stateAfter = (seed: number) => {
  const random = seededRandom(seed);
  const { take, state } = service(random);
  const waiting = callsOf(told, random);
  for (let body = waiting.shift(); body; body = waiting.shift()) {
    if (random.fraction() < 0.2) {
      if (take(body.subarray(0, Math.floor(random.fraction() * body.length)), signed(body))) throw new Error("taken");
      waiting.push(body);
    } else if (!take(body, signed(body))) throw new Error("not taken");
  }
  return state();
};

describe("Meta's documented webhook calls", () => {
  const inOrder = (() => {
    const { take, state } = service(seededRandom(0));
    for (const value of told) {
      const body = call([value]);
      take(body, signed(body));
    }
    return state();
  })();

  test("in their order tell what became of each message", () => {
    const of = (name: string) => {
      const index = stories.findIndex((story) => story.name === name);
      const signer = inOrder.signers[index];
      const message = signer && Object.values(signer.messages)[0];
      return {
        continue: signer?.wantsLink,
        refusal: signer?.hasRefused,
        refused: signer?.refused,
        state: message?.state,
        delivered: message?.delivered,
        read: message?.read,
      };
    };
    expect(of("sent, delivered, read, answered")).toEqual({
      continue: true,
      refusal: false,
      refused: false,
      state: "sent",
      delivered: true,
      read: true,
    });
    expect(of("read without word of its delivery")).toMatchObject({ state: "sent", delivered: true, read: true });
    expect(of("refused, then continued")).toMatchObject({ continue: true, refusal: true, refused: false });
    expect(of("continued, then refused")).toMatchObject({ continue: true, refusal: true, refused: true });
    expect(of("unreachable")).toMatchObject({ state: "undeliverable", delivered: false });
    expect(of("taken, then unreachable")).toMatchObject({ state: "undeliverable" });
    expect(of("to be tried again")).toMatchObject({ state: "failed" });
    expect(of("without numbers")).toMatchObject({ continue: true, delivered: true });
    expect(of("by another number than was asked")).toMatchObject({ continue: true, delivered: true });
    expect(of("without our mark")).toMatchObject({ refusal: true, continue: false, read: true });
    expect(of("nothing was told of")).toMatchObject({ continue: false, delivered: false });
  });

  test(`shuffled, repeated and cut in ${ORDERS} orders come to the same state`, () => {
    const expected = JSON.stringify(inOrder);
    for (let seed = 1; seed <= ORDERS; seed++) {
      const state = stateAfter(seed);
      // As text it is compared in a fraction of the time; what differs is shown of the state.
      if (JSON.stringify(state) !== expected) expect(state, `seed ${seed}`).toEqual(inOrder);
    }
  });
});
