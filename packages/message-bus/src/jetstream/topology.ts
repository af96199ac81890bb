import type { Clock } from "@rubrica/runtime";
import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerInfo,
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamManager,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "nats";
import { DEDUPE_WINDOW_MS } from "../limits.ts";
import type { Consumption } from "../port.ts";
import { MessageBusError } from "./bus-error.ts";
import { API_ERROR, isApiError } from "./errors.ts";
import type { Replicas } from "./replicas.ts";

/** The oldest message that is kept. By then its obligation has been published again several times. */
const MAX_AGE_MS = 60 * 60 * 1000;
const MAX_BYTES = 512 * 1024 * 1024;
/** How long a server has to remove what is left of a stream before one of the same name takes its place. */
const REMOVAL_MS = 1_000;
const TOKEN = /^[\w-]+(?:\.[\w-]+)*$/;
/**
 * The name of the placeholder group that keeps a subject's messages until a group comes. No group can have an empty
 * name.
 */
const NOBODY = "";

/**
 * The stream and its durable consumers, made when they are missing: one stream for all subjects, which keeps a message
 * until every group of its subject has acknowledged it, and one consumer for each group. A subject that has no group yet
 * has a consumer that nobody pulls from, so that what is published waits for the first group.
 */
export class Topology {
  readonly #manager: JetStreamManager;
  readonly #clock: Clock;
  readonly stream: string;
  readonly #maxWaiting: number;
  readonly #replicas: Replicas;
  /** When the stream was made that is known to be there. */
  #made: string | undefined;
  #wasThere = false;
  /** Subjects that are known to have a consumer. */
  readonly #withConsumer = new Map<string, Promise<void>>();

  constructor(options: {
    manager: JetStreamManager;
    clock: Clock;
    stream: string;
    maxWaiting: number;
    replicas: Replicas;
  }) {
    this.#manager = options.manager;
    this.#clock = options.clock;
    this.stream = options.stream;
    this.#maxWaiting = options.maxWaiting;
    this.#replicas = options.replicas;
  }

  /** The stream is gone: it is made again by whoever needs it next. */
  reset(): void {
    this.#made = undefined;
    this.#withConsumer.clear();
  }

  /** Removes a stream that takes nothing any more; what was in it is published again by whoever is obliged. */
  async remove(): Promise<void> {
    try {
      await this.#manager.streams.delete(this.stream);
    } catch (error) {
      if (!isApiError(error, API_ERROR.streamNotFound)) throw error;
    }
    this.reset();
  }

  /**
   * Whether there are messages that can't be read: their files are gone. nats-server 2.9 says nothing of it, takes more
   * messages and delivers none.
   */
  async hasLostMessages(): Promise<boolean> {
    const firstOf = async (): Promise<number | undefined> => {
      const { state } = await this.#manager.streams.info(this.stream);
      return state.messages === 0 ? undefined : state.first_seq;
    };
    const first = await firstOf();
    if (first === undefined) return false;
    try {
      await this.#manager.streams.getMessage(this.stream, { seq: first });
      return false;
    } catch (error) {
      if (!isApiError(error, API_ERROR.messageNotFound)) throw error;
      // It may have been taken since.
      return (await firstOf()) === first;
    }
  }

  /** The subject as NATS has it. @throws {MessageBusError} for a name that NATS can't have. */
  subjectOf(subject: string): string {
    return `${this.stream}.${checked(subject)}`;
  }

  /** Looks whether the stream is there, makes it if it is not, or brings its limits up to date; gives when it was made. */
  async look(): Promise<string> {
    const made = await this.#makeStream();
    if (made !== this.#made) this.#withConsumer.clear();
    this.#made = made;
    this.#wasThere = true;
    return made;
  }

  /** Sees to it that what is published on the subject waits for somebody. */
  async ensureConsumer(subject: string): Promise<void> {
    if (this.#made === undefined) await this.look();
    const known = this.#withConsumer.get(subject);
    if (known) return known;
    const ensuring = this.#addPlaceholder(subject).catch((error) => {
      this.#withConsumer.delete(subject);
      throw error;
    });
    this.#withConsumer.set(subject, ensuring);
    return ensuring;
  }

  /**
   * Makes the group's consumer, if it is missing, and gives its name. The name tells when the stream was made: what was
   * delivered by a stream that is gone can't acknowledge, by the same numbers, a message of the one in its place.
   */
  async consumer({ subject, group, ackWaitMs }: Consumption): Promise<string> {
    const made = await this.look();
    const name = `${durableOf(subject, checked(group))}@${made.replace(/\D/g, "")}`;
    await this.#manager.consumers.add(this.stream, this.#consumerConfig(subject, name, ackWaitMs));
    await this.#remove(durableOf(subject, NOBODY));
    return name;
  }

  /** Removes the placeholder consumer once the subject has a group. A process may have been killed before it did so. */
  async letGo(subject: string): Promise<void> {
    const holder = durableOf(subject, NOBODY);
    if ((await this.#consumersOf(subject)).some((name) => name !== holder)) await this.#remove(holder);
  }

  async #makeStream(): Promise<string> {
    const found = await this.#find();
    if (found) return found;
    // nats-server 2.9 unregisters a stream and then removes its folder, and with it the files of one made in between.
    if (this.#wasThere) await this.#clock.wait(REMOVAL_MS, { background: true });
    return (await this.#find()) ?? (await this.#addStream());
  }

  async #addStream(): Promise<string> {
    try {
      return await this.#replicas.add(this.#streamConfig());
    } catch (error) {
      // Where two processes ask at once, a server may refuse the second: the subjects are taken, by the very stream
      // that both ask for.
      const made = isApiError(error, API_ERROR.subjectsOverlap) ? await this.#find() : undefined;
      if (made === undefined) throw error;
      return made;
    }
  }

  /** When the stream was made that is there, its limits brought up to date; undefined when there is none. */
  async #find(): Promise<string | undefined> {
    const wanted = this.#streamConfig();
    try {
      const { config, created, cluster } = await this.#manager.streams.info(this.stream);
      const differs = Object.entries(wanted).some(
        ([name, value]) => !isSame(config[name as keyof StreamConfig], value),
      );
      // Placement is the operator's.
      if (differs) await this.#manager.streams.update(this.stream, { ...config, ...wanted });
      await this.#replicas.raise({ ...config, ...wanted }, cluster);
      return created;
    } catch (error) {
      if (isApiError(error, API_ERROR.streamNotFound)) return undefined;
      throw error;
    }
  }

  /**
   * Makes the placeholder consumer, unless the subject has one. A group may come between the look and the making: it
   * removes the placeholder after making its own consumer, so this looks again afterwards.
   */
  async #addPlaceholder(subject: string): Promise<void> {
    if ((await this.#consumersOf(subject)).length > 0) return;
    await this.#manager.consumers.add(this.stream, this.#consumerConfig(subject, durableOf(subject, NOBODY)));
    await this.letGo(subject);
  }

  async #consumersOf(subject: string): Promise<string[]> {
    const names: string[] = [];
    for await (const consumer of this.#manager.consumers.list(this.stream)) {
      // A consumer that is just being removed may be listed as null.
      const { name, config } = (consumer as ConsumerInfo | null) ?? {};
      if (name !== undefined && config?.filter_subject === this.subjectOf(subject)) names.push(name);
    }
    return names;
  }

  async #remove(name: string): Promise<void> {
    try {
      await this.#manager.consumers.delete(this.stream, name);
    } catch (error) {
      if (!isApiError(error, API_ERROR.consumerNotFound)) throw error;
    }
  }

  #streamConfig() {
    return {
      name: this.stream,
      subjects: [`${this.stream}.>`],
      storage: StorageType.File,
      retention: RetentionPolicy.Interest,
      discard: DiscardPolicy.New,
      discard_new_per_subject: true,
      max_msgs_per_subject: this.#maxWaiting,
      max_bytes: MAX_BYTES,
      max_age: nanos(MAX_AGE_MS),
      duplicate_window: nanos(DEDUPE_WINDOW_MS),
    } satisfies Partial<StreamConfig>;
  }

  #consumerConfig(subject: string, durable: string, ackWaitMs?: number): Partial<ConsumerConfig> {
    return {
      durable_name: durable,
      filter_subject: this.subjectOf(subject),
      deliver_policy: DeliverPolicy.All,
      ack_policy: AckPolicy.Explicit,
      // A process limits what it has in hand by what it asks for, and how often a message is delivered when it takes
      // it.
      max_ack_pending: -1,
      max_deliver: -1,
      ...(ackWaitMs === undefined ? {} : { ack_wait: nanos(ackWaitMs) }),
    };
  }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const checked = (name: string): string => {
  if (TOKEN.test(name)) return name;
  throw new MessageBusError("subjects and groups are words of letters, digits, - and _, parted by dots");
};

/** A consumer's name can't hold dots. */
const durableOf = (subject: string, group: string): string => `${subject}@${group}`.replaceAll(".", "=");
