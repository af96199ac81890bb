import { systemClock } from "@rubrica/runtime";
import {
  askJetStream,
  deleteStream,
  type EngineProcess,
  hasNatsServer,
  startNatsServer,
} from "@rubrica/test-kit/engines";
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
    const servers = readNatsUrl(given ?? server?.url ?? "").options;
    const names = await askJetStream(servers, ({ streams }) => streams.names().next());
    for (const name of names.filter((one) => one.startsWith(`test-${process.pid}-`))) await deleteStream(servers, name);
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
