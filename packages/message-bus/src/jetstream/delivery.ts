import type { Clock } from "@rubrica/runtime";
import type { Msg, NatsConnection } from "nats";
import { handledInTime } from "../ack-wait.ts";
import type { HandlingFailure } from "../failure.ts";
import type { JsonValue } from "../json.ts";
import { MAX_DELIVERIES } from "../limits.ts";
import type { BusMessage, Consumption } from "../port.ts";
import { MessageBusError } from "./bus-error.ts";
import { isUnanswered } from "./errors.ts";

const ID_HEADER = "Nats-Msg-Id";
const ACK = "+ACK";
/** The message is over for the group, whatever became of it. */
const TERMINATE = "+TERM";
const WORKING = "+WPI";
/** How long JetStream has to say that it knows. */
const ANSWER_MS = 2_000;
const PAUSE_MS = 200;

export interface DeliveryOptions {
  nc: NatsConnection;
  clock: Clock;
  consumption: Consumption;
  onError: (failure: HandlingFailure) => void;
}

/**
 * Handles a message and tells JetStream what became of it. Never rejects. Whoever is silent is waited for no longer; the
 * message is delivered again, unless it was so often enough.
 */
export const deliver = async (received: Msg, options: DeliveryOptions): Promise<void> => {
  const { nc, consumption, onError } = options;
  const { subject, group, signal } = consumption;
  const messageId = received.headers?.get(ID_HEADER) ?? "";
  let body: JsonValue | undefined;
  const failed = (error: unknown) =>
    onError({ subject, group, messageId, body, isEnding: signal.aborted || nc.isClosed(), error });
  const settle = async (word: string): Promise<void> => {
    if (!(await settled(received, word, options))) failed(new MessageBusError("its acknowledgement was not taken"));
  };
  const number = deliveriesOf(received);
  // The process that had it last died while it handled it.
  if (number > MAX_DELIVERIES) {
    failed(new MessageBusError("it was delivered too often"));
    return settle(TERMINATE);
  }
  try {
    body = received.json<JsonValue>();
    const message = { id: messageId, subject, body };
    if (await handled(received, message, number, options)) return await settle(ACK);
    failed(new Error("its handler was silent for too long"));
    if (number === MAX_DELIVERIES) await settle(TERMINATE);
  } catch (error) {
    failed(error);
    await settle(TERMINATE);
  }
};

const handled = async (
  received: Msg,
  message: BusMessage,
  number: number,
  { nc, clock, consumption: { ackWaitMs, handle } }: DeliveryOptions,
): Promise<boolean> => {
  let isOver = false;
  try {
    return await handledInTime(clock, ackWaitMs, (extendHere) =>
      handle(message, {
        number,
        extend: () => {
          extendHere();
          if (!isOver && !nc.isClosed()) received.respond(WORKING);
        },
      }),
    );
  } finally {
    isOver = true;
  }
};

/** Tells JetStream until it says that it knows, as long as it would wait for that; false when it does not. */
const settled = async (
  { reply = "" }: Msg,
  word: string,
  { nc, clock, consumption }: DeliveryOptions,
): Promise<boolean> => {
  const endMs = clock.monotonicMs() + consumption.ackWaitMs;
  do {
    try {
      await nc.request(reply, word, { timeout: ANSWER_MS });
      return true;
    } catch (error) {
      // Its consumer is gone, and the message with it.
      if (isUnanswered(error)) return true;
      if (nc.isClosed()) return false;
      await clock.wait(PAUSE_MS, { background: true });
    }
  } while (clock.monotonicMs() < endMs);
  return false;
};

/** `$JS.ACK.{domain}.{account}.{stream}.{consumer}.{deliveries}.…`; older servers name neither domain nor account. */
const deliveriesOf = ({ reply = "" }: Msg): number => {
  const tokens = reply.split(".");
  return Number(tokens.length > 9 ? tokens[6] : tokens[4]);
};
