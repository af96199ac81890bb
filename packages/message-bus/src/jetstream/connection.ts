import type { Clock } from "@rubrica/runtime";
import { connect, Events, type NatsConnection } from "nats";
import { MessageBusError } from "./bus-error.ts";
import { wordsOf } from "./errors.ts";
import { type NatsPlace, readNatsUrl } from "./url.ts";

/** How long a start waits for a server. */
const OPEN_MS = 10_000;
const CONNECT_MS = 5_000;
const RETRY_MS = 250;
/** A server that says nothing for two of these is taken for gone. */
const PING_MS = 5_000;

/** A connection that comes back for ever. */
export interface Connection {
  nc: NatsConnection;
  place: NatsPlace;
  /** Aborted when the connection that there is now is lost; another one after each reconnect. */
  lost(): AbortSignal;
  /** Ends it, whatever is under way. */
  close(): Promise<void>;
}

/**
 * Connects, and connects again whenever the connection is lost.
 *
 * @param options.onWarning told, in sentences, when it is lost and when it is back.
 * @throws {MessageBusError} when no server takes it within 10 s, or the URL can't be read.
 */
export const openConnection = async ({
  url,
  clock,
  onWarning,
}: {
  url: string;
  clock: Clock;
  onWarning: (sentence: string) => void;
}): Promise<Connection> => {
  const place = readNatsUrl(url);
  const nc = await connected(place, clock);
  let lost = new AbortController();
  const watch = async (): Promise<void> => {
    for await (const { type, data } of nc.status()) {
      if (type === Events.Disconnect) {
        lost.abort();
        if (!nc.isClosed()) onWarning(`The connection to the message bus (${place.shown}) is lost; it is tried again.`);
      } else if (type === Events.Reconnect) {
        lost = new AbortController();
        onWarning(`The message bus (${place.shown}) is connected again.`);
      } else if (type === Events.Error) {
        onWarning(`The message bus (${place.shown}) answered with an error: ${String(data)}.`);
      }
    }
  };
  void watch();
  return {
    nc,
    place,
    lost: () => lost.signal,
    close: () => nc.close(),
  };
};

const connected = async ({ shown, options }: NatsPlace, clock: Clock): Promise<NatsConnection> => {
  const endMs = clock.monotonicMs() + OPEN_MS;
  for (;;) {
    try {
      return await connect({
        ...options,
        name: "rubrica",
        timeout: CONNECT_MS,
        maxReconnectAttempts: -1,
        reconnectTimeWait: RETRY_MS,
        // A server that was set up anew may refuse credentials for a while before it accepts them.
        ignoreAuthErrorAbort: true,
        pingInterval: PING_MS,
        maxPingOut: 2,
        noAsyncTraces: true,
      });
    } catch (error) {
      if (clock.monotonicMs() + RETRY_MS > endMs)
        throw new MessageBusError(`The message bus (${shown}) can't be reached: ${wordsOf(error)}.`, error);
      await clock.wait(RETRY_MS);
    }
  }
};
