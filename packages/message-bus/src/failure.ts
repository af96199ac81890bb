import type { JsonValue } from "./json.ts";

/** What became of a message that a handler rejected, or was silent about. */
export interface HandlingFailure {
  subject: string;
  group: string;
  messageId: string;
  /** The message's body; undefined when it could not be read. Logs may take nothing from it that names a person. */
  body: JsonValue | undefined;
  /** Whether its consumer was ending by then: its handlers are cut short, as they should be. */
  isEnding: boolean;
  error: unknown;
}
