import { createEmbeddedMessageBus, type MessageBus, openJetStreamMessageBus } from "@rubrica/message-bus";
import type { Surroundings } from "./surroundings.ts";
import { NATS, reaching } from "./unreachable.ts";

/** The message bus that the configuration names: within this process when it names none. @throws {EngineUnreachable} */
export const openMessageBus = async ({ config, runtime: { clock }, listeners }: Surroundings): Promise<MessageBus> => {
  const { natsUrl: url } = config;
  const onError: NonNullable<typeof listeners.unmet> = (failure) => listeners.unmet?.(failure);
  if (url === undefined) return createEmbeddedMessageBus({ clock, onError });
  const onTrouble = (sentence: string) => listeners.warn?.(sentence);
  return reaching(NATS, () => openJetStreamMessageBus({ url, clock, onError, onTrouble }));
};
