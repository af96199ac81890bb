import { v5 } from "uuid";

const RUBRICA_NAMESPACE = "6f1c3f0e-6c1b-5e0c-9d0b-3f5a8c2b7e41";

/** The id of a command's event: UUIDv5 of command id and index, so that a repeated command makes the same events. */
export const eventIdOf = (commandId: string, index: number): string => v5(`${commandId}/${index}`, RUBRICA_NAMESPACE);

/** A stable UUID for something named by other ids (a delivery by its webhook, a bulk row's document). */
export const derivedId = (...parts: string[]): string => v5(JSON.stringify(parts), RUBRICA_NAMESPACE);
