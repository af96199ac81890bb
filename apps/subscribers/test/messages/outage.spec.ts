import { recordNotice, recordSealed, recordTurnCome, requestDocument, sign } from "@rubrica/domain";
import { type DomainEvent, type Notice, sample } from "@rubrica/events";
import { createSmsProvider, type MessagingProvider } from "@rubrica/messaging";
import type { Clock } from "@rubrica/runtime";
import { createSecrets, signingTokens } from "@rubrica/secrets";
import { eventually } from "@rubrica/test-kit";
import { contextOf, openWorld, requestOf, signerOfDocument } from "@rubrica/test-kit/commands";
import { signing } from "@rubrica/test-kit/document-history";
import { LINK_BASE, openWhatsApp } from "@rubrica/test-kit/messaging/whatsapp";
import { startSmsDouble } from "@rubrica/test-kit/sms-double";
import { MetaError } from "@rubrica/test-kit/whatsapp-double";
import { describe, expect, test } from "vitest";
import { messageSubscribers } from "../../src/messages.ts";
import { owedIn } from "../owed.ts";

const HOUR_MS = 3_600_000;
/** Of each kind: signed while it is down, requested while it is down, requested when it is back. */
const GROUP = 8;
/** Messages that the provider takes, as fast as it takes any, as it goes down without being able to say so. */
const ANSWERS_LOST = 5;
const PER_SECOND = 2;

/** A provider's double on the test's clock, and what stands before it in the service. */
interface Outside extends AsyncDisposable {
  provider: MessagingProvider;
  goDown(): void;
  comeUp(): void;
  /** The service's own ids of the messages that arrived, in that order. */
  arrived(): string[];
  /** What the provider told since it was asked last, once it has told it all. */
  news(): Promise<Notice[]>;
}

/** Some answers are lost; then `down` is what becomes of each request. */
const goingDown = <Down>(down: readonly Down[]): (() => Down | "answer_lost") => {
  let asked = 0;
  return () => {
    asked += 1;
    return asked <= ANSWERS_LOST ? "answer_lost" : (down[asked % down.length] ?? "answer_lost");
  };
};

const whatsApp = async (clock: Clock): Promise<Outside> => {
  const world = await openWhatsApp({ clock, perSecond: PER_SECOND });
  const { double, notices } = world;
  let isDown = false;
  let read = 0;
  return {
    provider: world.provider,
    goDown() {
      isDown = true;
      double.webhook.hold();
      double.otherwise(goingDown([new MetaError(131_000), "cut_off", new MetaError(2)]));
    },
    comeUp() {
      isDown = false;
      double.otherwise(() => undefined);
      double.webhook.letGo();
    },
    arrived: () => double.taken.map(({ opaque }) => opaque ?? ""),
    async news() {
      if (isDown) return [];
      // Each message is told to be sent, and to be delivered.
      await eventually("all notices", () => notices.length === 2 * double.taken.length);
      const from = read;
      read = notices.length;
      return notices.slice(from);
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
};

const sms = async (clock: Clock): Promise<Outside> => {
  const double = await startSmsDouble();
  const { url, key } = double;
  let recent: number[] = [];
  const limited = () => {
    recent = recent.filter((at) => clock.now() - at < 1_000);
    if (recent.length >= PER_SECOND) return { status: 429, headers: { "retry-after": "20" } };
    recent.push(clock.now());
    return undefined;
  };
  double.otherwise(limited);
  return {
    provider: createSmsProvider({ url, key, clock, idOf: (id) => `sms.${id}` }),
    goDown: () => double.otherwise(goingDown([{ status: 503 }, "cut_off"] as const)),
    comeUp: () => double.otherwise(limited),
    arrived: () => double.taken.map(({ messageId }) => messageId),
    news: async () => [],
    [Symbol.asyncDispose]: () => double[Symbol.asyncDispose](),
  };
};

const idOf = (number: number) => `019aa5c0-0000-7000-8000-${String(number).padStart(12, "0")}`;

const openOutage = async (open: (clock: Clock) => Promise<Outside>) => {
  const stores = openWorld();
  const { runtime, handlers, journal } = stores;
  const { clock } = runtime;
  const outside = await open(clock);
  const { medium } = outside.provider;
  const subscribers = messageSubscribers({
    handlers,
    runtime,
    messaging: new Map([[medium, outside.provider]]),
    tokens: signingTokens(createSecrets({ current: Buffer.alloc(32) })),
    publicUrl: new URL(LINK_BASE).origin,
    signal: new AbortController().signal,
  });
  const meeting = new Map(subscribers.map(({ kind, meet }) => [kind, meet]));
  const documentOf = new Map<string, string>();
  const owed = async () => (await owedIn(journal)).filter(({ obligation }) => meeting.has(obligation.kind));

  const ask = async (number: number) => {
    const id = idOf(number);
    const { signers, ...request } = requestOf(id);
    const phoned = signers.map((signer) => ({ ...signer, phone: `54911223${String(number).padStart(5, "0")}` }));
    await handlers.documents.handle(id, requestDocument, { ...request, signers: phoned }, contextOf(`${id}/request`));
    await handlers.documents.handle(id, recordTurnCome, { signerId: signerOfDocument(id) }, contextOf(`${id}/turn`));
  };
  const signAndSeal = async (number: number) => {
    const id = idOf(number);
    await handlers.documents.handle(id, sign, signing(signerOfDocument(id)), contextOf(`${id}/sign`));
    const { sha256: certificateSha256 } = sample;
    const seal = { file: sample.pdf, level: "B-B" as const, shortfall: null, certificateSha256 };
    const command = {
      ...seal,
      ownAuthority: true,
      timestamp: null,
      sendCopies: true,
      toComplete: false,
      provenUntil: null,
    };
    await handlers.documents.handle(id, recordSealed, command, contextOf(`${id}/seal`));
  };
  const hear = async ({ kind, providerMessageId, messageId, at }: Notice) => {
    if (kind !== "sent" && kind !== "delivered") throw new Error(`a phone that does nothing told ${kind}`);
    const documentId = documentOf.get(messageId ?? "") ?? "";
    const notice = { notice: kind, medium, providerMessageId, messageId: messageId ?? undefined };
    await handlers.documents.handle(documentId, recordNotice, notice, contextOf(`${providerMessageId}/${kind}/${at}`));
  };
  return {
    ...stores,
    ...outside,
    clock,
    owed,
    ask,
    signAndSeal,
    /** Does what is due, as it falls due, until then or until nothing is owed. */
    async runUntil(endMs: number) {
      for (;;) {
        for (const notice of await outside.news()) await hear(notice);
        const open = await owed();
        const nextMs = Math.min(...open.map(({ obligation }) => Date.parse(obligation.dueAt)));
        if (open.length === 0 || nextMs > endMs) break;
        clock.advance(Math.max(0, nextMs - clock.now()));
        const due = open.filter(({ obligation }) => Date.parse(obligation.dueAt) <= clock.now());
        for (const one of due) documentOf.set(one.obligation.id, one.documentId);
        await Promise.all(due.map((one) => meeting.get(one.obligation.kind)?.(one)));
      }
      if (Number.isFinite(endMs)) clock.advance(Math.max(0, endMs - clock.now()));
    },
    async failures() {
      const events: DomainEvent[] = [];
      for (let number = 0; number < 3 * GROUP; number++)
        events.push(...(await stores.eventsOf("document", idOf(number))));
      return events.filter((event) => event.type === "MessageFailed").map(({ data }) => data);
    },
    async [Symbol.asyncDispose]() {
      await outside[Symbol.asyncDispose]();
      await stores[Symbol.asyncDispose]();
    },
  };
};

describe("a provider that is down for an hour, then limits rates", () => {
  test.each([
    // Meta's notices settle what became of an attempt whose answer was lost; an adapter to text messages tells nothing.
    ["WhatsApp", whatsApp, true],
    ["text messages", sms, false],
  ] as const)("%s: every message arrives once, or twice with a reason", async (_name, open, settles) => {
    await using world = await openOutage(open);
    const group = (first: number) => Array.from({ length: GROUP }, (_, index) => first + index);
    for (const number of group(0)) await world.ask(number);
    await world.runUntil(Number.POSITIVE_INFINITY);
    expect(world.arrived()).toHaveLength(GROUP);

    // It takes messages again at once, however late the last one was.
    world.clock.advance(1_000);
    world.goDown();
    for (const number of group(0)) await world.signAndSeal(number);
    for (const number of group(GROUP)) await world.ask(number);
    await world.runUntil(world.clock.now() + HOUR_MS);
    const lost = world.arrived().length - GROUP;
    expect(lost).toBeGreaterThan(0);

    world.comeUp();
    for (const number of group(2 * GROUP)) await world.ask(number);
    await world.runUntil(Number.POSITIVE_INFINITY);

    expect(await world.owed()).toEqual([]);
    const times = Map.groupBy(world.arrived(), (messageId) => messageId);
    expect(times.size).toBe(4 * GROUP);
    const failures = await world.failures();
    expect(failures.filter(({ nextAttemptAt }) => nextAttemptAt === null)).toEqual([]);
    expect(failures.map(({ reason }) => reason)).toContain(settles ? "rate_limited" : "provider_busy");
    const repeated = [...times].filter(([, copies]) => copies.length > 1);
    expect(repeated).toHaveLength(settles ? 0 : lost);
    for (const [messageId, copies] of repeated) {
      expect(copies).toHaveLength(2);
      const reasons = failures.filter((failure) => failure.messageId === messageId).map(({ reason }) => reason);
      expect(reasons[0]).toBe("provider_unreachable");
    }
  });
});
