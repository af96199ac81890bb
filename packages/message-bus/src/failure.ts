import type { JsonValue } from "./json.ts";

/** What became of a message that a handler rejected, or was silent about. */
export interface HandlingFailure {
  subject: string;
  group: string;
  messageId: string;
  /** The message's own; undefined when it could not be read. Whoever tells of it picks what names nobody. */
  body: JsonValue | undefined;
  /** Whether its consumer was to end by then: what it had in hand is cut short, and that is as it should be. */
  isEnding: boolean;
  error: unknown;
}
