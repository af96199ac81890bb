import { type Config, ConfigError } from "@rubrica/config";
import { createEmbeddedMessageBus, type MessageBus, NatsUrlError, readNatsUrl } from "@rubrica/message-bus";
import type { Surroundings } from "./surroundings.ts";
import { NATS, reaching } from "./unreachable.ts";

/** @throws {ConfigError} when NATS_URL can't be read: no waiting mends that. */
export const requireNatsUrl = ({ natsUrl }: Pick<Config, "natsUrl">): void => {
  if (natsUrl === undefined) return;
  try {
    readNatsUrl(natsUrl);
  } catch (error) {
    if (!(error instanceof NatsUrlError)) throw error;
    throw new ConfigError(`The variable NATS_URL can't be used: ${error.message}.`);
  }
};

/** The message bus that the configuration names: within this process when it names none. @throws {EngineUnreachable} */
export const openMessageBus = async ({ config, runtime: { clock }, listeners }: Surroundings): Promise<MessageBus> => {
  const { natsUrl: url, natsReplicas: replicas } = config;
  const onError: NonNullable<typeof listeners.unmet> = (failure) => listeners.unmet?.(failure);
  if (url === undefined) return createEmbeddedMessageBus({ clock, onError });
  const { openJetStreamMessageBus } = await import("@rubrica/message-bus/jetstream");
  const onWarning = (sentence: string) => listeners.warn?.(sentence);
  return reaching(NATS, () => openJetStreamMessageBus({ url, clock, onError, onWarning, replicas }));
};
