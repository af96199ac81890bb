import { systemClock } from "@rubrica/runtime";
import { type EngineProcess, hasNatsServer, startNatsServer } from "@rubrica/test-kit/engines";
import { connect } from "nats";
import { afterAll, afterEach, beforeAll, describe } from "vitest";
import { readNatsUrl } from "../../src/index.ts";
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
  // Each reserves room on a server that others use as well.
  afterEach(async () => {
    const connection = await connect(readNatsUrl(given ?? server?.url ?? "").options);
    const manager = await connection.jetstreamManager();
    for (const name of (await manager.streams.names().next()).filter((one) => one.startsWith(`test-${process.pid}-`)))
      await manager.streams.delete(name);
    await connection.close();
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
