import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Notice, Notice as NoticeSchema, sample } from "@rubrica/events";
import type { HttpPlugin } from "@rubrica/http";
import { createHttpMessagingProvider, MessagingError } from "@rubrica/messaging";
import { type Clock, systemClock, systemRuntime } from "@rubrica/runtime";
import { freePort } from "@rubrica/test-kit";
import { link, messagingContract, template } from "@rubrica/test-kit/messaging/contract";
import { describe, expect, test } from "vitest";
import { messagingProviderRoutes } from "../../src/phone/provider-routes.ts";
import { noticesTo } from "../../src/phone/service.ts";
import { openMessagingSimulator } from "../../src/phone/simulator.ts";
import { serving } from "../serving.ts";

const KEY = "key-of-the-service";
const never = new AbortController().signal;

/** A service that takes notices, and hands them on to who waits for one. */
const service = async () => {
  const taken: Notice[] = [];
  const waiting = new Set<() => void>();
  const routes: HttpPlugin = async (app) => {
    app.post("/inbound/simulator", async ({ body, headers }, reply) => {
      if (headers.authorization !== "Bearer notices") return reply.code(401).send();
      const { notices } = body as { notices: unknown[] };
      taken.push(...notices.map((notice) => NoticeSchema.parse(notice)));
      for (const look of waiting) look();
      return { received: notices.length };
    });
  };
  const served = await serving(routes);
  const notice = (fits: (notice: Notice) => boolean): Promise<Notice> =>
    new Promise((resolve) => {
      const look = () => {
        const found = taken.find(fits);
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return { ...served, notice };
};

const world = async () => {
  const far = await service();
  const closing = new AbortController();
  const simulator = openMessagingSimulator({
    path: ":memory:",
    keys: [Buffer.alloc(32, 1)],
    runtime: systemRuntime(),
    onNotice: noticesTo({ url: far.url, key: "notices", clock: systemClock }, closing.signal),
  });
  const served = await serving(messagingProviderRoutes(simulator, { key: KEY }));
  const url = `${served.url}/simulator/messaging`;
  return {
    simulator,
    url,
    notice: far.notice,
    provider: createHttpMessagingProvider({ provider: sample.provider, url, key: KEY, clock: systemClock }),
    async close() {
      closing.abort();
      await served[Symbol.asyncDispose]();
      await simulator.close();
      await far[Symbol.asyncDispose]();
    },
  };
};

messagingContract("the simulator, over HTTP", async () => {
  const { provider, simulator, notice, close } = await world();
  return {
    provider,
    notice,
    press: async (id, answer) => expect(simulator.reply(id, answer)).toBe("replied"),
    makeUnreachable: async (phone) => simulator.setReachable(phone, false),
    close,
  };
});

const refusal = (sending: Promise<unknown>): Promise<unknown> => sending.catch((error: unknown) => error);

describe("forgetting", () => {
  test("leaves nothing of what was sent under the service's id of a message, and all else", async () => {
    const { provider, simulator, close } = await world();
    const sent = [await provider.sendTemplate(template, never), await provider.sendTemplate(template, never)];
    const to = "5491187654321";
    const kept = await provider.sendLink({ ...link, to, signerName: "Ana Paz" }, never);
    for (const { providerMessageId } of sent) simulator.reply(providerMessageId, "continue");
    for (const messageId of [template.messageId, template.messageId, "unknown/ä:".repeat(15)])
      await provider.forget?.(messageId, never);
    expect(simulator.messages().map(({ id }) => id)).toEqual([kept.providerMessageId]);
    expect(simulator.chats().map(({ phone }) => phone)).toEqual([to]);
    for (const { providerMessageId } of sent) {
      expect(simulator.repliesTo(providerMessageId)).toEqual([]);
      expect(simulator.reply(providerMessageId, "continue")).toBe("no_such_message");
    }
    await close();
  });

  test("is for whoever has the key, and is asked for again otherwise", async () => {
    const { provider, simulator, url, close } = await world();
    await provider.sendTemplate(template, never);
    const stranger = createHttpMessagingProvider({
      provider: sample.provider,
      url,
      key: "another",
      clock: systemClock,
    });
    await expect(stranger.forget?.(template.messageId, never)).rejects.toMatchObject({
      reason: "provider_set_up_wrongly",
      permanent: false,
    });
    expect(simulator.messages()).toHaveLength(1);
    const reason = new Error("not wanted");
    await expect(provider.forget?.(template.messageId, AbortSignal.abort(reason))).rejects.toBe(reason);
    await close();
  });

  const forgetting = async (status: number) => {
    const asked: unknown[] = [];
    const server = createServer((request, response) => {
      asked.push(request.method, request.url);
      response.writeHead(status).end();
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const provider = createHttpMessagingProvider({
        provider: sample.provider,
        url: `http://127.0.0.1:${port}`,
        key: KEY,
        clock: systemClock,
      });
      await provider.forget?.("event:send-link:signer", never);
    } finally {
      server.closeAllConnections();
      server.close();
    }
    return asked;
  };

  test.each([200, 204, 404, 405, 410, 501])("is over with status %i: there is nothing more to ask", async (status) => {
    expect(await forgetting(status)).toEqual(["DELETE", "/messages/event%3Asend-link%3Asigner"]);
  });

  test.each([302, 400, 429, 500, 503])("is to be asked for again when the status is %i", async (status) => {
    const error = await refusal(forgetting(status));
    expect(error).toBeInstanceOf(MessagingError);
    expect(error).toMatchObject({ reason: "provider_busy", permanent: false });
  });
});

describe("over HTTP", () => {
  test("a text that is too long is refused for good; another key, or another address, is set right by the operator", async () => {
    const { provider, url, close } = await world();
    const tooLong = await refusal(provider.sendTemplate({ ...template, text: "x".repeat(4_097) }, never));
    expect(tooLong).toBeInstanceOf(MessagingError);
    expect(tooLong).toMatchObject({ reason: "text_too_long", permanent: true });
    for (const where of [
      { url, key: "another" },
      { url: `${url}/nowhere`, key: KEY },
    ]) {
      const other = createHttpMessagingProvider({ provider: sample.provider, ...where, clock: systemClock });
      expect(await refusal(other.sendLink(link, never))).toMatchObject({
        reason: "provider_set_up_wrongly",
        permanent: false,
      });
    }
    await close();
  });

  test("a provider that is only starting is asked again until somebody listens", async () => {
    const port = await freePort();
    const pausing = Promise.withResolvers<void>();
    const wait: Clock["wait"] = (ms, options) => {
      if (ms <= 1_000) pausing.resolve();
      return systemClock.wait(ms, options);
    };
    const provider = createHttpMessagingProvider({
      provider: sample.provider,
      url: `http://127.0.0.1:${port}`,
      key: KEY,
      clock: { ...systemClock, wait },
    });
    const sending = provider.sendTemplate(template, never);
    await pausing.promise;
    const server = createServer((_request, response) => response.end('{"providerMessageId":"sim.1"}'));
    server.listen(port, "127.0.0.1");
    expect(await sending).toEqual({ providerMessageId: "sim.1" });
    server.closeAllConnections();
    server.close();
  });

  test("one that nobody listens for is no error for good, and what is given up meanwhile says so", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    // Passes over the pauses between knocks; the request has its time.
    const wait: Clock["wait"] = (ms, options) => systemClock.wait(ms > 1_000 ? ms : 0, options);
    const hurried = createHttpMessagingProvider({
      provider: sample.provider,
      url,
      key: KEY,
      clock: { ...systemClock, wait },
    });
    expect(await refusal(hurried.sendTemplate(template, never))).toMatchObject({
      reason: "provider_unreachable",
      permanent: false,
    });
    const patient = createHttpMessagingProvider({ provider: sample.provider, url, key: KEY, clock: systemClock });
    const stopping = new AbortController();
    const sending = patient.sendTemplate(template, stopping.signal);
    const reason = new Error("the service stops");
    stopping.abort(reason);
    await expect(sending).rejects.toBe(reason);
  });

  test.each([
    [500, "oops", "provider_busy"],
    [503, "{}", "provider_busy"],
    [200, "{}", "provider_bad_answer"],
    [200, "x".repeat(20_000), "provider_bad_answer"],
    [302, "{}", "provider_busy"],
  ])("an answer %i %j is trouble that passes: %s", async (status, body, reason) => {
    const server = createServer((request, response) => {
      request.resume().once("end", () => response.writeHead(status).end(body));
    });
    const port = await freePort();
    server.listen(port, "127.0.0.1");
    const provider = createHttpMessagingProvider({
      provider: sample.provider,
      url: `http://127.0.0.1:${port}`,
      key: KEY,
      clock: systemClock,
    });
    expect(await refusal(provider.sendLink(link, never))).toMatchObject({ reason, permanent: false });
    server.closeAllConnections();
    server.close();
  });
});
