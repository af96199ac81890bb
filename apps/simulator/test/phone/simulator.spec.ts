import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { testRuntime } from "@rubrica/runtime/testing";
import { link, template } from "@rubrica/test-kit/messaging/contract";
import { afterEach, describe, expect, test } from "vitest";
import type { PhoneNotice } from "../../src/phone/notice.ts";
import { retryDelayMs } from "../../src/phone/outbox.ts";
import { openMessagingSimulator } from "../../src/phone/simulator.ts";
import { Notices } from "./notices.ts";

const KEY = Buffer.alloc(32, 1);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A simulator in memory, or on a file, with a clock that stands still. */
const open = ({
  path = ":memory:",
  keys = [KEY],
  onNotice,
  seed = 1,
}: {
  path?: string;
  keys?: Buffer[];
  onNotice?: (notice: PhoneNotice) => Promise<void>;
  seed?: number;
} = {}) => {
  const notices = new Notices();
  const runtime = testRuntime(seed);
  const simulator = openMessagingSimulator({ path, keys, runtime, onNotice: onNotice ?? notices.take });
  cleanups.push(() => simulator.close());
  return { simulator, notices, clock: runtime.clock };
};

const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "rubrica-simulator-"));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  return folder;
};

/** Lets all that is ready to run, run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("what arrives at a phone", () => {
  test("messages are in the order of sending, the template with its buttons' kind, the link with its address", async () => {
    const { simulator } = open();
    const first = await simulator.sendTemplate(template);
    const second = await simulator.sendLink(link);
    expect(simulator.messages(template.to)).toMatchObject([
      { id: first.providerMessageId, kind: "template", content: { to: template.to, link: null } },
      { id: second.providerMessageId, kind: "link", content: { link: link.link } },
    ]);
    expect(first.providerMessageId).toMatch(/^sim\./);
  });

  test("one phone does not see another's messages; without a phone all are there", async () => {
    const { simulator } = open();
    await simulator.sendTemplate(template);
    await simulator.sendTemplate({ ...template, to: "59899123456" });
    expect(simulator.messages("59899123456")).toHaveLength(1);
    expect(simulator.messages("56912345678")).toHaveLength(0);
    expect(simulator.messages()).toHaveLength(2);
  });

  test("one line that is written in two ways is one phone", async () => {
    const { simulator } = open();
    await simulator.sendTemplate({ ...template, to: "5491123456789" });
    await simulator.sendTemplate({ ...template, to: "541123456789" });
    expect(simulator.messages("541123456789")).toHaveLength(2);
    expect(simulator.chats()).toHaveLength(1);
  });

  test("the newest 200 messages are shown, the newest last", async () => {
    const { simulator } = open();
    for (let number = 0; number < 203; number++) await simulator.sendTemplate({ ...template, text: `${number}` });
    const texts = simulator.messages(template.to).map(({ content }) => content.text);
    expect([texts.length, texts[0], texts.at(-1)]).toEqual([200, "3", "202"]);
  });

  test("what was sent while a phone was unreachable never arrives; what is sent afterwards does", async () => {
    const { simulator, notices } = open();
    simulator.setReachable(template.to, false);
    const lost = await simulator.sendTemplate(template);
    simulator.setReachable(template.to, true);
    const found = await simulator.sendTemplate(template);
    expect(simulator.messages(template.to).map(({ id }) => id)).toEqual([found.providerMessageId]);
    expect(simulator.chats()).toMatchObject([{ reachable: true, undelivered: 1 }]);
    expect(simulator.reply(lost.providerMessageId, "continue")).toBe("no_such_message");
    await notices.first(({ providerMessageId }) => providerMessageId === found.providerMessageId);
    expect(notices.kinds()).toEqual(["failed", "delivered"]);
  });

  test("a text that no messaging app would carry is refused", async () => {
    const { simulator } = open();
    const sending = simulator.sendTemplate({ ...template, text: "x".repeat(4_097) });
    await expect(sending).rejects.toMatchObject({ reason: "text_too_long", permanent: true });
    expect(simulator.messages()).toEqual([]);
  });
});

describe("answers", () => {
  test("the same button again changes nothing; the other one is another answer", async () => {
    const { simulator, notices } = open();
    const { providerMessageId } = await simulator.sendTemplate(template);
    simulator.reply(providerMessageId, "no_continue");
    simulator.reply(providerMessageId, "no_continue");
    simulator.reply(providerMessageId, "continue");
    await notices.first((notice) => notice.kind === "answered" && notice.answer === "continue");
    await settled();
    expect(notices.kinds()).toEqual(["delivered", "answered", "answered"]);
    expect(simulator.repliesTo(providerMessageId)).toMatchObject([
      { answer: "no_continue", heard: true },
      { answer: "continue", heard: true },
    ]);
  });

  test("a button may be pressed again once the other one was: people change their minds", async () => {
    const { simulator, notices } = open();
    const { providerMessageId } = await simulator.sendTemplate(template);
    for (const answer of ["continue", "no_continue", "continue", "continue"] as const)
      simulator.reply(providerMessageId, answer);
    await settled();
    expect(notices.kinds()).toEqual(["delivered", "answered", "answered", "answered"]);
    expect(simulator.repliesTo(providerMessageId).map(({ answer }) => answer)).toEqual(["no_continue", "continue"]);
  });

  test("a link has no buttons, an unknown message neither", async () => {
    const { simulator } = open();
    const { providerMessageId } = await simulator.sendLink(link);
    expect(simulator.reply(providerMessageId, "continue")).toBe("no_such_button");
    expect(simulator.reply("sim.unknown", "continue")).toBe("no_such_message");
  });

  test("what the phone's owner looked at is reported read, once", async () => {
    const { simulator, notices } = open();
    const { providerMessageId } = await simulator.sendTemplate(template);
    expect(simulator.chats()).toMatchObject([{ unread: 1 }]);
    simulator.markRead(template.to);
    simulator.markRead(template.to);
    await notices.first(({ kind }) => kind === "read");
    await settled();
    expect(notices.all.filter(({ kind }) => kind === "read")).toMatchObject([{ providerMessageId }]);
    expect(simulator.chats()).toMatchObject([{ unread: 0 }]);
  });
});

describe("notices", () => {
  test("give back the service's own id of the message, whatever they tell", async () => {
    const { simulator, notices } = open();
    const { providerMessageId } = await simulator.sendTemplate(template);
    simulator.markRead(template.to);
    simulator.reply(providerMessageId, "continue");
    simulator.setReachable(template.to, false);
    await simulator.sendLink(link);
    await notices.first(({ kind }) => kind === "failed");
    await notices.first(({ kind }) => kind === "answered");
    await notices.first(({ kind }) => kind === "read");
    expect(notices.all.map(({ kind, messageId }) => [kind, messageId]).sort()).toEqual([
      ["answered", template.messageId],
      ["delivered", template.messageId],
      ["failed", link.messageId],
      ["read", template.messageId],
    ]);
  });

  test("a refused notice is given again after a growing pause until it is taken", async () => {
    const taken: number[] = [];
    let refusals = 2;
    const { simulator, clock } = open({
      onNotice: async () => {
        taken.push(clock.monotonicMs());
        if (refusals-- > 0) throw new Error("not now");
      },
    });
    await simulator.sendTemplate(template);
    await settled();
    expect(taken).toEqual([0]);
    clock.advance(1_000);
    await settled();
    expect(taken).toEqual([0, 1_000]);
    clock.advance(1_000);
    await settled();
    expect(taken).toHaveLength(2);
    clock.advance(1_000);
    await settled();
    expect(taken).toHaveLength(3);
    clock.advance(3_600_000);
    await settled();
    expect(taken).toHaveLength(3);
  });

  test("pauses double from a second to five minutes", () => {
    expect([1, 2, 3, 9, 10, 1_000].map((attempts) => retryDelayMs(attempts, 1))).toEqual([
      1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
    ]);
    expect(retryDelayMs(1, 0)).toBe(750);
  });

  test("one that is refused holds up no other", async () => {
    const notices = new Notices();
    let refused = "";
    const { simulator } = open({
      onNotice: async (notice) => {
        if (notice.providerMessageId === refused) throw new Error("not now");
        await notices.take(notice);
      },
    });
    refused = (await simulator.sendTemplate(template)).providerMessageId;
    const ids = [];
    for (let number = 0; number < 40; number++) ids.push((await simulator.sendTemplate(template)).providerMessageId);
    for (const id of ids) await notices.first(({ providerMessageId }) => providerMessageId === id);
    expect(notices.all.every(({ kind }) => kind === "delivered")).toBe(true);
  });

  test("at most 16 are given at once, and the rest follows", async () => {
    let [now, most, done] = [0, 0, 0];
    const { simulator } = open({
      onNotice: async () => {
        most = Math.max(most, ++now);
        await settled();
        now--;
        done++;
      },
    });
    for (let number = 0; number < 100; number++) await simulator.sendTemplate(template);
    while (done < 100) await settled();
    expect(most).toBe(16);
  });

  test("what was not taken is given after a restart, with messages, replies and unreachable phones as they were", async () => {
    const path = join(temporaryFolder(), "simulator.sqlite");
    const refuse = async () => {
      throw new Error("not now");
    };
    const before = open({ path, onNotice: refuse });
    const { providerMessageId } = await before.simulator.sendTemplate(template);
    before.simulator.reply(providerMessageId, "continue");
    before.simulator.setReachable("59899123456", false);
    expect(before.simulator.repliesTo(providerMessageId)).toMatchObject([{ heard: false }]);
    await settled();
    await before.simulator.close();
    cleanups.pop();

    const { simulator, notices, clock } = open({ path, seed: 2 });
    clock.advance(1_000);
    await notices.first(({ kind }) => kind === "answered");
    await notices.first(({ kind }) => kind === "delivered");
    await settled();
    expect(notices.all).toHaveLength(2);
    expect(simulator.repliesTo(providerMessageId)).toMatchObject([{ answer: "continue", heard: true }]);
    await simulator.sendTemplate({ ...template, to: "59899123456" });
    await notices.first(({ kind }) => kind === "failed");
  });

  test("closing waits for the notice that is being taken, which is not given again", async () => {
    const path = join(temporaryFolder(), "simulator.sqlite");
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const { promise: allowed, resolve: allow } = Promise.withResolvers<void>();
    const before = open({
      path,
      onNotice: async () => {
        start();
        await allowed;
      },
    });
    await before.simulator.sendTemplate(template);
    await started;
    const closing = before.simulator.close();
    cleanups.pop();
    await settled();
    allow();
    await closing;
    const { notices, simulator } = open({ path, seed: 2 });
    await simulator.sendLink(link);
    await notices.first(({ kind }) => kind === "delivered");
    await settled();
    expect(notices.all).toHaveLength(1);
  });
});

describe("on disk", () => {
  test("nothing that names a person lies in the clear", async () => {
    const folder = temporaryFolder();
    const { simulator, notices } = open({ path: join(folder, "simulator.sqlite") });
    const { providerMessageId } = await simulator.sendTemplate(template);
    await simulator.sendLink(link);
    simulator.reply(providerMessageId, "continue");
    simulator.setReachable("59899123456", false);
    await notices.first(({ kind }) => kind === "answered");
    const bytes = Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
    expect(bytes.includes(providerMessageId)).toBe(true);
    const secrets = [template.to, "1123456789", "59899123456", "María", "Inmobiliaria", "alquiler", "firma.example"];
    for (const secret of secrets) expect(bytes.includes(secret), secret).toBe(false);
  });

  test("after a change of SECRET what was encrypted before is still read, and its phone is the same", async () => {
    const path = join(temporaryFolder(), "simulator.sqlite");
    const before = open({ path });
    await before.simulator.sendTemplate(template);
    before.simulator.setReachable("59899123456", false);
    await before.simulator.close();
    cleanups.pop();

    const { simulator } = open({ path, keys: [Buffer.alloc(32, 2), KEY], seed: 2 });
    await simulator.sendTemplate(template);
    expect(simulator.messages(template.to)).toHaveLength(2);
    expect(simulator.chats()).toHaveLength(1);
    simulator.setReachable("59899123456", true);
    await simulator.sendTemplate({ ...template, to: "59899123456" });
    expect(simulator.messages("59899123456")).toHaveLength(1);
  });

  test("what a file of a former version has is forgotten too, but for what no key opens", async () => {
    const path = join(temporaryFolder(), "simulator.sqlite");
    for (const [index, key] of [Buffer.alloc(32, 2), KEY].entries()) {
      const before = open({ path, keys: [key], seed: index + 1 });
      await before.simulator.sendTemplate(template);
      await before.simulator.close();
      cleanups.pop();
    }
    const file = new DatabaseSync(path);
    file.exec("DROP TABLE service_ids");
    const left = () => file.prepare("SELECT id FROM messages").all().length;
    expect(left()).toBe(2);
    const { simulator } = open({ path, seed: 3 });
    simulator.forget(template.messageId);
    expect(left()).toBe(1);
    expect(() => simulator.messages()).toThrow("SECRET");
    file.close();
  });

  test("what is forgotten is in none of the files any more, nor in a log beside them", async () => {
    const folder = temporaryFolder();
    const { simulator } = open({ path: join(folder, "simulator.sqlite") });
    await simulator.sendTemplate(template);
    const file = new DatabaseSync(join(folder, "simulator.sqlite"), { readOnly: true });
    const { content, phone } = file.prepare("SELECT content, phone FROM messages").get() ?? {};
    file.close();
    const holding = (bytes: Buffer) =>
      readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(bytes));
    const kept = [Buffer.from(content as Uint8Array), Buffer.from(String(phone))];
    for (const bytes of kept) expect(holding(bytes)).not.toEqual([]);
    simulator.forget(template.messageId);
    for (const bytes of kept) expect(holding(bytes)).toEqual([]);
  });

  test("while another process reads, what is forgotten is to be forgotten again", async () => {
    const path = join(temporaryFolder(), "simulator.sqlite");
    const { simulator } = open({ path });
    await simulator.sendTemplate(template);
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM messages").get();
    expect(() => simulator.forget(template.messageId)).toThrow("another process reads");
    reader.close();
    expect(() => simulator.forget(template.messageId)).not.toThrow();
  });

  test("another SECRET alone opens nothing", async () => {
    const path = join(temporaryFolder(), "simulator.sqlite");
    const before = open({ path });
    await before.simulator.sendTemplate(template);
    await before.simulator.close();
    cleanups.pop();
    const { simulator } = open({ path, keys: [Buffer.alloc(32, 2)] });
    expect(() => simulator.messages()).toThrow("SECRET");
  });

  test("a key of another length is refused", () => {
    expect(() => open({ keys: [Buffer.alloc(16)] })).toThrow(RangeError);
    expect(() => open({ keys: [] })).toThrow(RangeError);
  });
});
