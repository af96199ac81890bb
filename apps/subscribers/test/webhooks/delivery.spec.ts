import { webhookRetries } from "@rubrica/domain";
import { sample } from "@rubrica/events";
import { createOutbound } from "@rubrica/outbound";
import { systemClock } from "@rubrica/runtime";
import { eventually } from "@rubrica/test-kit";
import { documentIds } from "@rubrica/test-kit/commands";
import { describe, expect, test } from "vitest";
import { onceAtATime } from "../../src/subscriber.ts";
import { documentId, openSealed, openWorld } from "./given.ts";
import { openReceiver } from "./receiver.ts";

test.each(["signer_signed", "report", "rejection"] as const)(
  "what no event obliges to is not told, whoever published it: %s",
  async (webhookType) => {
    await using receiver = await openReceiver();
    await using world = await openSealed(receiver.url);
    const [published] = await world.due();
    if (!published) throw new Error("nothing is due");
    const id = published.obligation.id.replace("alert", webhookType);
    const forged = { ...published, obligation: { ...published.obligation, id, webhookType } };
    await expect(world.subscriber.meet(forged)).rejects.toThrow("is not in the document's stream");
    expect([receiver.received, await world.deliveryEvents()]).toEqual([[], []]);
  },
);

describe("an answer", () => {
  test.each([200, 201, 204, 299])("of %i is a success: it is not told again", async (status) => {
    await using receiver = await openReceiver((response) => void response.writeHead(status).end());
    await using world = await openSealed(receiver.url);
    expect(await world.meetDue()).toBe(1);
    expect(await world.deliveryEvents()).toMatchObject([
      { type: "WebhookAttempted", attempt: 1, documentId, webhookType: "alert" },
      { type: "WebhookDelivered", attempt: 1, status },
    ]);
    world.clock.advance(48 * 3_600_000);
    expect(await world.due()).toEqual([]);
  });

  test.each([301, 302, 307, 400, 404, 500, 503])("of %i is a failure, and leads nowhere", async (status) => {
    await using elsewhere = await openReceiver();
    await using receiver = await openReceiver(
      (response) => void response.writeHead(status, { location: elsewhere.url }).end(),
    );
    await using world = await openSealed(receiver.url);
    await world.meetDue();
    expect(await world.deliveryEvents()).toMatchObject([
      { type: "WebhookAttempted" },
      { type: "WebhookAttemptFailed", reason: "status", status },
    ]);
    expect(elsewhere.received).toEqual([]);
  });

  test("that does not come within 15 s is a failure", async () => {
    await using receiver = await openReceiver(() => undefined);
    await using world = await openSealed(receiver.url);
    const meeting = world.meetDue();
    await receiver.has(1);
    world.clock.advance(14_999);
    world.clock.advance(1);
    await meeting;
    expect(await world.deliveryEvents()).toMatchObject([
      { type: "WebhookAttempted" },
      { type: "WebhookAttemptFailed", reason: "timed_out", status: null, durationMs: 15_000 },
    ]);
  });

  test("of 410 ends it: its receiver wants it no more", async () => {
    await using receiver = await openReceiver((response) => void response.writeHead(410).end());
    await using world = await openSealed(receiver.url);
    await world.meetDue();
    expect(await world.deliveryEvents()).toMatchObject([
      { type: "WebhookAttempted" },
      { type: "WebhookAbandoned", attempt: 1, reason: "gone", status: 410 },
    ]);
    expect(await world.due()).toEqual([]);
  });

  test.each([429, 503])("of %i that names a longer pause is asked again after it", async (status) => {
    await using receiver = await openReceiver(
      (response) => void response.writeHead(status, { "retry-after": "120" }).end(),
    );
    await using world = await openSealed(receiver.url);
    await world.meetDue();
    world.clock.advance(119_999);
    expect(await world.due()).toEqual([]);
    world.clock.advance(12_001);
    expect(await world.due()).toHaveLength(1);
  });

  test("without an end is cut off after some kilobytes", async () => {
    let writtenBytes = 0;
    const chunk = Buffer.alloc(64 * 1_024);
    await using receiver = await openReceiver((response) => {
      const write = (): void => {
        while (!response.destroyed && response.write(chunk)) writtenBytes += chunk.length;
      };
      response.on("drain", write);
      write();
    });
    await using world = await openSealed(receiver.url);
    await world.meetDue();
    expect(await world.deliveryEvents()).toMatchObject([{ type: "WebhookAttempted" }, { type: "WebhookDelivered" }]);
    // What the system's buffers took in; not what the receiver would have gone on to send.
    expect(writtenBytes).toBeLessThan(64 * 1_024 * 1_024);
  });
});

describe("the log's newest head", () => {
  test("goes with each attempt as the first one found it, also after a restart", async () => {
    await using receiver = await openReceiver((response) => void response.writeHead(503).end());
    await using world = await openSealed(receiver.url);
    world.heads.newest = { size: 3, root: sample.sha256 };
    await world.meetDue();
    world.heads.newest = { size: 9, root: "77".repeat(32) };
    world.clock.advance(60_000);
    await world.meetDue();
    expect(receiver.received.map(({ headers }) => headers["rubrica-head"])).toEqual([
      `3:${sample.sha256}`,
      `3:${sample.sha256}`,
    ]);
  });
  test("is left out where there is none", async () => {
    await using receiver = await openReceiver((response) => void response.writeHead(200).end());
    await using world = await openSealed(receiver.url);
    await world.meetDue();
    expect(receiver.received[0]?.headers).not.toHaveProperty("rubrica-head");
  });
});

describe("retries", () => {
  test("come on schedule, each under the same id and freshly signed, and end with the tenth attempt", async () => {
    await using receiver = await openReceiver((response) => void response.writeHead(503).end());
    await using world = await openSealed(receiver.url);
    for (const delayMs of webhookRetries.delaysMs) {
      expect(await world.meetDue()).toBe(1);
      world.clock.advance(delayMs - 1);
      expect(await world.due()).toEqual([]);
      world.clock.advance(Math.ceil(delayMs / 10) + 1);
    }
    expect(await world.meetDue()).toBe(1);
    expect(receiver.received).toHaveLength(10);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-signature"])).size).toBe(10);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    const last = (await world.deliveryEvents()).at(-1);
    expect(last).toMatchObject({ type: "WebhookAbandoned", attempt: 10, reason: "status", status: 503 });
    world.clock.advance(48 * 3_600_000);
    expect(await world.due()).toEqual([]);
  });

  test("a webhook cut between attempt and outcome is sent again, under the same id", async () => {
    await using receiver = await openReceiver();
    await using world = await openSealed(receiver.url);
    const [published] = await world.due();
    if (!published) throw new Error("nothing is owed");
    const cut = world.subscriberWith({ request: () => Promise.reject(new Error("the process ended")) });
    await expect(cut.meet(published)).rejects.toThrow("the process ended");
    expect(await world.deliveryEvents()).toMatchObject([{ type: "WebhookAttempted", attempt: 1 }]);
    expect(await world.meetDue()).toBe(1);
    expect(await world.deliveryEvents()).toMatchObject([
      { type: "WebhookAttempted", attempt: 1 },
      { type: "WebhookAttempted", attempt: 2 },
      { type: "WebhookDelivered", attempt: 2 },
    ]);
    expect(receiver.received).toMatchObject([{ headers: { "webhook-id": published.obligation.id } }]);
  });

  test("a publishing from before the last attempt does not make the next one come early", async () => {
    await using receiver = await openReceiver((response) => void response.writeHead(500).end());
    await using world = await openSealed(receiver.url);
    const [early] = await world.due();
    await world.meetDue();
    if (early) await world.subscriber.meet(early);
    expect(receiver.received).toHaveLength(1);
  });

  test("one that was delivered is not sent again, however late it is published", async () => {
    await using receiver = await openReceiver();
    await using world = await openSealed(receiver.url);
    const [late] = await world.due();
    await world.meetDue();
    if (late) await world.subscriber.meet({ ...late, obligation: { ...late.obligation, attempts: 1 } });
    expect(receiver.received).toHaveLength(1);
  });
});

describe("what is not sent", () => {
  test.each([
    ["a loopback address", (port: string) => `http://127.0.0.1:${port}/`],
    ["another way to write it", (port: string) => `http://0x7f.1:${port}/`],
    ["a name that stands for one", (port: string) => `http://localhost:${port}/`],
  ])("to %s, unless private ones are allowed", async (_what, urlOf) => {
    await using receiver = await openReceiver();
    await using world = await openSealed(urlOf(new URL(receiver.url).port), {}, { allowPrivate: false });
    await world.meetDue();
    expect(await world.deliveryEvents()).toMatchObject([
      { type: "WebhookAttempted" },
      { type: "WebhookAttemptFailed", reason: "not_public", status: null },
    ]);
    expect(receiver.received).toEqual([]);
  });

  test("to a name that stands for a public and a private address", async () => {
    await using receiver = await openReceiver();
    const { port } = new URL(receiver.url);
    const resolve = async () => [
      { address: "93.184.216.34", family: 4 },
      { address: "127.0.0.1", family: 4 },
    ];
    const outbound = createOutbound({ clock: systemClock, allowPrivate: false, resolve });
    await using world = await openSealed(`http://rebinding.example:${port}/`, {}, { outbound });
    await world.meetDue();
    expect((await world.deliveryEvents()).at(-1)).toMatchObject({ type: "WebhookAttemptFailed", reason: "not_public" });
    expect(receiver.received).toEqual([]);
  });

  test("of whom was forgotten: it is given up at once", async () => {
    await using receiver = await openReceiver();
    await using world = await openSealed(receiver.url);
    await world.keys.destroy(documentId);
    await world.meetDue();
    expect(await world.deliveryEvents()).toMatchObject([
      { type: "WebhookAttempted", attempt: 1 },
      { type: "WebhookAbandoned", attempt: 1, reason: "forgotten", status: null },
    ]);
    expect(await world.due()).toEqual([]);
    expect(receiver.received).toEqual([]);
  });

  test("the events of a delivery name no person, no address and no key", async () => {
    await using receiver = await openReceiver((response) => void response.writeHead(500).end("5491122334455"));
    const webhook = { url: `${receiver.url}/private-path`, headers: { "x-token": "s3cret" } };
    await using world = await openSealed("", { webhook, customParameters: { who: "Ana Paz" } });
    await world.meetDue();
    const told = JSON.stringify(await world.deliveryEvents());
    for (const secret of ["private-path", "s3cret", "Ana", "5491122334455", "127.0.0.1"])
      expect(told).not.toContain(secret);
  });
});

describe("order", () => {
  test("a document's report is not told before its alert was, however long that fails", async () => {
    let isDown = true;
    await using receiver = await openReceiver((response) => void response.writeHead(isDown ? 500 : 200).end());
    await using world = await openSealed(receiver.url);
    await world.report();
    for (const delayMs of webhookRetries.delaysMs.slice(0, 6)) {
      expect(await world.meetDue()).toBe(1);
      world.clock.advance(delayMs * 1.1);
    }
    isDown = false;
    await world.meetDue();
    await world.meetDue();
    const types = receiver.received.map(({ body }) => JSON.parse(body).type);
    expect(types).toEqual([...Array(7).fill("alert"), "report"]);
  });

  test("one that is abandoned frees the next", async () => {
    await using receiver = await openReceiver((response) => void response.writeHead(410).end());
    await using world = await openSealed(receiver.url);
    await world.report();
    await world.meetDue();
    expect(await world.due()).toMatchObject([{ obligation: { webhookType: "report" } }]);
  });
});

describe("a slow receiver", () => {
  test("is sent eight webhooks at a time and holds up no other host", async () => {
    const held: (() => void)[] = [];
    await using slow = await openReceiver((response) => void held.push(() => response.end()));
    await using quick = await openReceiver();
    await using world = await openWorld();
    const published = [];
    for (let number = 0; number < 12; number++) {
      const id = number < 11 ? `019aa5c0-0000-7000-8000-${String(number).padStart(12, "0")}` : documentIds.second;
      await world.request(number < 11 ? slow.url : quick.url, {}, id);
      await world.sign(id);
      await world.seal(id);
    }
    published.push(...(await world.due()));
    let done = 0;
    const meet = onceAtATime(world.subscriber.meet);
    const meetings = published.map(async (one) => {
      await meet(one);
      done += 1;
    });
    await Promise.all([slow.has(8), quick.has(1)]);
    // What waits in line is not done, and so not acknowledged.
    await eventually("the quick host's webhook", () => done === 1);
    expect(slow.received).toHaveLength(8);
    // Published again while they wait or are being sent: nothing is sent twice.
    meetings.push(...published.slice(0, 11).map((one) => meet(one)));
    for (let answered = 0; answered < 11; answered++) {
      const answer = await eventually("a webhook", () => held.shift());
      answer();
    }
    await Promise.all(meetings);
    expect(slow.received).toHaveLength(11);
    expect(new Set(slow.received.map(({ headers }) => headers["webhook-id"])).size).toBe(11);
    expect((await world.deliveryEvents()).filter(({ type }) => type === "WebhookDelivered")).toHaveLength(12);
  });

  test("is sent nothing more once the service stops; what waits is owed still", async () => {
    const held: (() => void)[] = [];
    await using slow = await openReceiver((response) => void held.push(() => response.end()));
    await using world = await openWorld();
    for (let number = 0; number < 10; number++) {
      const id = `019aa5c0-0000-7000-8000-${String(number).padStart(12, "0")}`;
      await world.request(slow.url, {}, id);
      await world.sign(id);
      await world.seal(id);
    }
    const meetings = (await world.due()).map((one) => world.subscriber.meet(one));
    await slow.has(8);
    world.stopping.abort();
    for (const answer of held) answer();
    const outcomes = await Promise.allSettled(meetings);
    expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(2);
    expect(slow.received).toHaveLength(8);
    expect(await world.due()).toHaveLength(2);
  });
});
