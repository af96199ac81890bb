import { type JetStreamManager, NatsError, type StreamConfig, type StreamInfo } from "nats";
import { wordsOf } from "./errors.ts";

/** With three copies one server may be lost, and no acknowledged message with it. */
const WANTED = 3;

/**
 * On how many servers of a cluster a stream is kept: on three, unless the operator says another number, and on one where
 * the servers refuse. A stream that is there is raised from one alone, where the operator says nothing, and never lowered:
 * any other number is somebody's choice. No start fails for it; each one tries again, and says where it is on one.
 */
export class Replicas {
  readonly #manager: JetStreamManager;
  readonly #chosen: number | undefined;
  readonly #onWarning: (sentence: string) => void;
  #isTried = false;

  /** `chosen`: the operator's number. `onWarning` is told, in a sentence, where the servers refuse. */
  constructor(manager: JetStreamManager, chosen: number | undefined, onWarning: (sentence: string) => void) {
    this.#manager = manager;
    this.#chosen = chosen;
    this.#onWarning = onWarning;
  }

  /** Makes a stream; gives when it was made. */
  async add(config: Partial<StreamConfig>): Promise<string> {
    this.#isTried = true;
    const wanted = this.#chosen ?? WANTED;
    try {
      return (await this.#manager.streams.add({ ...config, num_replicas: wanted })).created;
    } catch (error) {
      // Where no answer came the stream may have been made: the caller looks again.
      if (wanted === 1 || !(error instanceof NatsError && error.api_error)) throw error;
      const { created } = await this.#manager.streams.add({ ...config, num_replicas: 1 });
      this.#warn(wanted, wordsOf(error));
      return created;
    }
  }

  /** Raises a stream that is there, once for each start. */
  async raise(config: StreamConfig, cluster: StreamInfo["cluster"] | undefined): Promise<void> {
    if (this.#isTried) return;
    this.#isTried = true;
    if (config.num_replicas !== 1 || this.#chosen === 1) return;
    if (this.#chosen !== undefined) return this.#warn(this.#chosen, "it was there before");
    // A single server would accept the number, and still keep one copy.
    if (!cluster) return this.#warn(WANTED, "the server is in no cluster");
    try {
      await this.#manager.streams.update(config.name, { ...config, num_replicas: WANTED });
    } catch (error) {
      this.#warn(WANTED, wordsOf(error));
    }
  }

  #warn(wanted: number, why: string): void {
    const next =
      this.#chosen === undefined
        ? "the next start tries again"
        : "where NATS_REPLICAS is set, a stream that is there stays as it is: raise it yourself";
    this.#onWarning(
      `JetStream keeps the stream on one server and not on ${wanted} (${why}); ${next}. With one server alone, set NATS_REPLICAS=1.`,
    );
  }
}
