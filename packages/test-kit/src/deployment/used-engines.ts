import { openEventStoreDb } from "@rubrica/event-store/eventstoredb";
import { streamKinds, streamName } from "@rubrica/events";
import { readNatsUrl } from "@rubrica/message-bus";
import { systemClock, systemRandom } from "@rubrica/runtime";
import { connect } from "nats";
import { engineCommandsIn } from "../engines/index.ts";

const STREAM = "rubrica";

const holdsOurEvents = async (url: string): Promise<boolean> => {
  const streamPrefixes = streamKinds.map((kind) => streamName(kind, ""));
  const store = openEventStoreDb({ url, clock: systemClock, random: systemRandom, streamPrefixes });
  try {
    return (await store.lastPosition()) !== undefined;
  } finally {
    await store.close();
  }
};

const holdsOurStream = async (url: string): Promise<boolean> => {
  const connection = await connect(readNatsUrl(url).options);
  try {
    const manager = await connection.jetstreamManager({ checkAPI: false });
    for await (const { config } of manager.streams.list()) if (config.name === STREAM) return true;
    return false;
  } finally {
    await connection.close();
  }
};

/** @throws {Error} naming the engine that can't be looked at. */
const looked = (engine: string, look: Promise<boolean>): Promise<boolean> =>
  look.catch((error: unknown) => {
    throw new Error(`${engine} can't be looked at: ${error instanceof Error ? error.message : "it does not answer"}`);
  });

/**
 * Why tests may not run on the engines that URLs of the environment name, in a sentence: a service may work on them, and
 * tests write and delete there. Undefined where they may.
 */
export const whyInUse = async (
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> => {
  const { EVENTSTORE_URL: events, NATS_URL: bus } = environment;
  // What is said of commands that do not belong together is said before anything is asked.
  engineCommandsIn(environment);
  if (events && (await looked("EventStoreDB", holdsOurEvents(events))))
    return "The EventStoreDB that EVENTSTORE_URL names holds streams of Rubrica: name one that has none, as tests write there for good.";
  if (bus && (await looked("NATS", holdsOurStream(bus))))
    return `The NATS that NATS_URL names has a stream ${STREAM}: name one without it, or delete it, as tests take its messages and delete it.`;
  return undefined;
};
