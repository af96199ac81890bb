import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import type { Clock } from "@rubrica/runtime";
import type { Epoch, Row } from "./log.ts";

/** What a member says to another: a question for its vote, or for what follows on its own last event. */
export type Question =
  | { kind: "vote"; term: number; member: number; lastTerm: number; lastSeq: number }
  | { kind: "pull"; term: number; member: number; epochs: readonly Epoch[]; after: number; sentMs: number };

export interface Answer {
  term: number;
  /** To a question for a vote. */
  granted?: boolean;
  /** Who leads, as far as the member that answers knows. */
  leader?: number | undefined;
  /** What the leader has beyond: its epochs and events. */
  epochs?: readonly Epoch[];
  rows?: readonly Row[];
  /** The asker has events that the leader lacks: all after this place. */
  dropAfter?: number;
}

/** Answers the other members on that port of the loopback. */
export const listen = async (port: number, answer: (question: Question) => Promise<Answer>): Promise<void> => {
  const server = createServer(async (request, response) => {
    try {
      // Before the answer is made, which takes long where much is sent: that somebody is there.
      response.flushHeaders();
      response.end(JSON.stringify(await answer((await json(request)) as Question)));
    } catch {
      response.destroy();
    }
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
};

/** How long a member is waited for. */
const SILENCE_LIMIT_MS = 500;
/** How long what it sends may take: all that the asker has missed. */
const SENDING_LIMIT_MS = 5_000;
const TICK_MS = 100;
/** No tick of a process that runs takes so long. */
const STOOD_STILL_MS = 700;

/** Tells whether the process stood still since: what came meanwhile may be of a leader that is gone. */
const watch = (clock: Clock, signal: AbortSignal): (() => boolean) => {
  let seenMs = clock.monotonicMs();
  let stood = false;
  const look = () => {
    const nowMs = clock.monotonicMs();
    stood ||= nowMs - seenMs > STOOD_STILL_MS;
    seenMs = nowMs;
    return stood;
  };
  void (async () => {
    while (!signal.aborted) {
      await clock.wait(TICK_MS, { signal });
      look();
    }
  })();
  return look;
};

/** What the member on that port answers; undefined where it does not in time. */
export const ask = async (port: number, question: Question, clock: Clock): Promise<Answer | undefined> => {
  const over = new AbortController();
  const stoodStill = watch(clock, over.signal);
  // Raced and not aborted alone: what aborts a body may be collected as garbage, and then its reader waits for minutes.
  const within = <T>(limitMs: number, answer: Promise<T>): Promise<T | undefined> =>
    Promise.race([answer, clock.wait(limitMs, { signal: over.signal }).then(() => undefined)]);
  try {
    const url = `http://127.0.0.1:${port}/`;
    const body = JSON.stringify(question);
    const response = await within(SILENCE_LIMIT_MS, fetch(url, { method: "POST", body, signal: over.signal }));
    const answer = response && ((await within(SENDING_LIMIT_MS, response.json())) as Answer | undefined);
    return stoodStill() ? undefined : answer;
  } catch {
    return undefined;
  } finally {
    over.abort();
  }
};
