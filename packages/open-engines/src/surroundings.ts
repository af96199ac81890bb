import type { Config } from "@rubrica/config";
import type { DomainEvent } from "@rubrica/events";
import type { HandlingFailure } from "@rubrica/message-bus";
import type { Runtime } from "@rubrica/runtime";

/** Called for what happens in the background, where no caller would see it. */
export interface EngineListeners {
  /** A sentence that the operator should read. */
  warn?(sentence: string): void;
  /** Events that this process appended, together. */
  appended?(events: readonly DomainEvent[]): void;
  /** An obligation whose handler failed; it is tried again. */
  unmet?(failure: HandlingFailure): void;
}

/** What every engine is opened with. */
export interface Surroundings {
  config: Config;
  runtime: Runtime;
  listeners: EngineListeners;
  /** Whether embedded engines may keep in memory what was read: what other processes write is then seen within 250 ms. */
  keepsReads: boolean;
}
