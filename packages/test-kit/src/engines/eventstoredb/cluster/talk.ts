import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import type { Epoch, Row } from "./log.ts";

/** What a member says to another: a question for its vote, or for what follows on its own last event. */
export type Question =
  | { kind: "vote"; term: number; member: number; lastTerm: number; head: number }
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
      response.end(JSON.stringify(await answer((await json(request)) as Question)));
    } catch {
      response.destroy();
    }
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
};

/** What the member on that port answers; undefined where it does not in time. */
export const ask = async (port: number, question: Question, limitMs: number): Promise<Answer | undefined> => {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      body: JSON.stringify(question),
      signal: AbortSignal.timeout(limitMs),
    });
    return (await response.json()) as Answer;
  } catch {
    return undefined;
  }
};
