import { systemClock } from "@rubrica/runtime";
import { type EngineProcess, hasNatsServer, startNatsServer } from "@rubrica/test-kit/engines";
import { afterAll, beforeAll, describe } from "vitest";
import { openJetStreamMessageBus } from "../../src/jetstream/bus.ts";
import { messageBusContract } from "../contract.ts";

const given = process.env.NATS_URL;

describe.skipIf(given === undefined && !hasNatsServer())("JetStream", () => {
  let server: EngineProcess | undefined;
  let streams = 0;
  beforeAll(async () => {
    if (given === undefined) server = await startNatsServer();
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  messageBusContract(given === undefined ? "a NATS server" : "NATS_URL", () =>
    openJetStreamMessageBus({
      url: given ?? server?.url ?? "",
      clock: systemClock,
      onError: () => {},
      stream: `test-${process.pid}-${++streams}`,
    }),
  );
});
