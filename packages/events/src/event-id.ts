import { v5 } from "uuid";

const RUBRICA_NAMESPACE = "6f1c3f0e-6c1b-5e0c-9d0b-3f5a8c2b7e41";

/**
 * The id of a command's event: UUIDv5 of the command's id, the event's index and the append's nonce. The same append
 * repeated is the same events; the same command repeated is not, and meets what the first one made of the stream.
 */
export const eventIdOf = (commandId: string, index: number, nonce: string): string =>
  v5(JSON.stringify([commandId, index, nonce]), RUBRICA_NAMESPACE);

/** A stable UUID for something named by other ids (a delivery by its webhook, a bulk row's document). */
export const derivedId = (...parts: string[]): string => v5(JSON.stringify(parts), RUBRICA_NAMESPACE);

/** The demo account's id, the same in every installation. */
export const demoAccountId = derivedId("demo-account");
