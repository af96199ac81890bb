import { type ConnectionOptions, connect, type JetStreamManager, NatsError } from "nats";
import { eventually } from "../polling.ts";

/** What the client says of a request that nobody answered: a cluster that elects answers none, nor does a busy machine. */
const UNANSWERED: readonly string[] = ["TIMEOUT", "503"];
/** Errors of JetStream's API (server/errors.json of nats-server). */
const TEMPORARILY_UNAVAILABLE = 10_008;
const STREAM_NOT_FOUND = 10_059;

const isUnanswered = (error: unknown): boolean => {
  if (!(error instanceof NatsError)) return false;
  const { api_error: answer, code } = error;
  return answer ? answer.err_code === TEMPORARILY_UNAVAILABLE : UNANSWERED.includes(code);
};

/**
 * Asks JetStream's API over a connection of its own, and again while nobody answers; `ask` has to be safe to repeat.
 * @throws whatever JetStream answers in the place of what was asked.
 */
export const askJetStream = async <Answer extends object>(
  servers: ConnectionOptions,
  ask: (manager: JetStreamManager) => Promise<Answer>,
): Promise<Answer> => {
  const connection = await connect(servers);
  try {
    const manager = await connection.jetstreamManager({ checkAPI: false });
    return await eventually("JetStream answers", () =>
      ask(manager).catch((error: unknown) => {
        if (isUnanswered(error)) return undefined;
        throw error;
      }),
    );
  } finally {
    await connection.close();
  }
};

/** Deletes a stream, with all that is in it; it is no error where it is not there, as after an answer that was lost. */
export const deleteStream = async (servers: ConnectionOptions, name: string): Promise<void> => {
  await askJetStream(servers, async ({ streams }) => {
    const isDeleted = await streams.delete(name).catch((error: unknown) => {
      if (error instanceof NatsError && error.api_error?.err_code === STREAM_NOT_FOUND) return true;
      throw error;
    });
    return { isDeleted };
  });
};
