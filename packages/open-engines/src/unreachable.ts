import { type Config, ConfigError } from "@rubrica/config";
import { EventStoreDbError } from "@rubrica/event-store";
import { DataFolderError } from "./data-folder.ts";

/** An engine over the wire, as `/readyz` names it, and the variable that says where it is. */
export interface WireEngine {
  name: string;
  variable: string;
}

export const EVENTSTOREDB: WireEngine = { name: "EventStoreDB", variable: "EVENTSTORE_URL" };
export const MONGODB: WireEngine = { name: "MongoDB", variable: "MONGODB_URL" };
export const NATS: WireEngine = { name: "NATS", variable: "NATS_URL" };

/** An engine over the wire does not answer; the message is one sentence for the operator, without its URL. */
export class EngineUnreachable extends Error {
  /** Its name. */
  readonly engine: string;

  constructor({ name, variable }: WireEngine, cause: unknown) {
    super(`${name} does not answer as it should: see that it runs where ${variable} says, and takes who that names.`, {
      cause,
    });
    this.name = "EngineUnreachable";
    this.engine = name;
  }
}

/** What `use` gives. @throws {EngineUnreachable} for whatever it fails with that is no sentence for the operator. */
export const reaching = async <T>(engine: WireEngine, use: () => T | Promise<T>): Promise<T> => {
  try {
    return await use();
  } catch (error) {
    if (error instanceof ConfigError || error instanceof DataFolderError || error instanceof EngineUnreachable)
      throw error;
    throw new EngineUnreachable(engine, error);
  }
};

/** The same for what is done on event store and database, of which each may be embedded. */
export const reachingBoth = async <T>(
  { mongodbUrl }: Pick<Config, "mongodbUrl">,
  use: () => Promise<T>,
): Promise<T> => {
  try {
    return await use();
  } catch (error) {
    if (error instanceof EventStoreDbError) throw new EngineUnreachable(EVENTSTOREDB, error);
    if (mongodbUrl === undefined) throw error;
    return await reaching(MONGODB, () => Promise.reject(error));
  }
};

/** The error as that of the engine over the wire that it came from; any other stays what it is. */
export const explainWire = (error: unknown): unknown => {
  if (error instanceof EventStoreDbError) return new EngineUnreachable(EVENTSTOREDB, error);
  // The driver's own errors.
  return error instanceof Error && error.name.startsWith("Mongo") ? new EngineUnreachable(MONGODB, error) : error;
};

/** What the driver throws while there is no server, or none that answers in time; others are answers of the server's. */
const MONGODB_OUTAGE = /^Mongo(?:Network|ServerSelection|NotConnected|Pool|WaitQueue|OperationTimeout|Topology)/;

/** Whether an engine over the wire does not answer, so that trying later may help. */
export const isOutage = (error: unknown): boolean =>
  error instanceof EngineUnreachable ||
  (error instanceof EventStoreDbError && error.failure === "unreachable") ||
  (error instanceof Error && MONGODB_OUTAGE.test(error.name));
