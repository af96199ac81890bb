import { type Runtime, systemRuntime } from "@rubrica/runtime";
import { createSecrets, simulatorKeys } from "@rubrica/secrets";
import {
  eventually,
  freePort,
  type RubricaClient,
  rubricaClient,
  samplePdf,
  sampleSigner,
  startServiceProcess,
  temporaryFolder,
} from "@rubrica/test-kit";
import { describe, expect, test } from "vitest";
import { inspect } from "../support/inspection.ts";
import { templateFor } from "../support/messages.ts";
import { serviceInProcess } from "../support/service.ts";

const PHONE = "5491122334455";
const HOUR_MS = 3_600_000;

/** A document that has asked its one signer: the message, and the link that follows its answer. */
const asked = async (client: RubricaClient) => {
  const { urls } = await client.requestDocument(await samplePdf(), [sampleSigner(1, { phone: PHONE })], {
    document_name: "Lease",
  });
  return { message: await templateFor(client, PHONE, "Lease"), link: urls[0]?.link };
};

const linkArrives = (client: RubricaClient) =>
  eventually("the link", async () => (await client.messagesTo(PHONE)).find(({ link }) => link !== null));

/** The buttons that were pressed, and whether the service has taken note. */
const replies = async (client: RubricaClient) => {
  const chat = (await client.send("GET", `/simulator/chats/${PHONE}`)).json<{ replies: { heard: boolean }[] }[]>();
  return chat.flatMap((message) => message.replies);
};

/** The system's runtime, on a clock that a test may put forward. */
const forwarded = () => {
  const runtime = systemRuntime();
  let aheadMs = 0;
  const clock = { ...runtime.clock, now: () => runtime.clock.now() + aheadMs };
  return {
    runtime: { ...runtime, clock } satisfies Runtime,
    forward: (ms: number) => {
      aheadMs += ms;
    },
  };
};

describe("what a signer answers", () => {
  test("while the projection stands still for an hour arrives once it goes on", async () => {
    const { runtime, forward } = forwarded();
    let held: Promise<void> | undefined;
    await using service = await serviceInProcess({ runtime, faults: { beforeProjecting: async () => held } });
    const { message, link } = await asked(service.client);
    const going = Promise.withResolvers<void>();
    held = going.promise;
    await service.client.press(message.id, "continue");
    await eventually("the answer to be kept", async () => (await replies(service.client))[0]?.heard);
    forward(HOUR_MS);
    expect((await service.client.messagesTo(PHONE)).filter((one) => one.link !== null)).toEqual([]);
    held = undefined;
    going.resolve();
    expect((await linkArrives(service.client)).link).toBe(link);
  });

  test("is handled after a kill that follows its being taken, and recorded once however often it is told", async () => {
    using folder = temporaryFolder();
    const options = { dataDir: folder.path, port: await freePort() };
    let service = await startServiceProcess(options);
    const { message, link } = await asked(rubricaClient(service));
    const { notices: key } = simulatorKeys(createSecrets({ current: Buffer.alloc(32) }), service.simulatorKey);
    const tell = async (at: string) => {
      const answered = { kind: "answered", answer: "continue", providerMessageId: message.id, messageId: null, at };
      const { status } = await fetch(`${service.url}/inbound/simulator`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ notices: [answered] }),
      });
      return status;
    };
    const at = "2026-11-21T15:04:05.000Z";
    expect(await tell(at)).toBe(200);
    await service.end("SIGKILL");
    service = await startServiceProcess(options);
    expect((await linkArrives(rubricaClient(service))).link).toBe(link);
    expect([await tell(at), await tell("2026-11-21T15:04:06.000Z")]).toEqual([200, 200]);
    await using stores = await inspect(folder.path);
    const types = async () => (await stores.events()).map(({ type }) => type);
    await eventually("the second telling to be handled", async () => {
      const all = await types();
      const of = (type: string) => all.filter((one) => one === type).length;
      return of("NoticesReceived") > 1 && of("NoticesReceived") === of("NoticesHandled");
    });
    expect((await types()).filter((type) => type === "TemplateAnswered")).toHaveLength(1);
    await service.end("SIGTERM");
  });
});
