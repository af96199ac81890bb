import { configFrom } from "@rubrica/config";
import type { CommandContext } from "@rubrica/journal";
import { requireStore, type Stores } from "@rubrica/open-engines";
import { openStores } from "@rubrica/open-engines/stores";
import type { Runtime } from "@rubrica/runtime";

/** What a command of the CLI works with. */
export interface Session extends Stores {
  runtime: Runtime;
  /** Whether events of others may stand beside the service's: on a server of EventStoreDB, not in a file of its own. */
  isShared: boolean;
  /** The context of a command on an account, given by the operator. */
  contextFor(accountId: string): CommandContext;
}

/** What the CLI is given: where it reads its environment, and where it writes. */
export interface Surroundings {
  environment: Readonly<Record<string, string | undefined>>;
  runtime: Runtime;
  /** Resolves when more may be printed. */
  print(text: string): Promise<void>;
}

/** Opens the engines for one command, beside a running service or without one, and closes them after it. */
export const withSession = async (
  { environment, runtime }: Surroundings,
  run: (session: Session) => Promise<void>,
): Promise<void> => {
  const config = configFrom(environment);
  const engines = await openStores(config, runtime);
  const commandId = runtime.ids.uuidv7();
  const contextFor = (accountId: string): CommandContext => ({
    commandId,
    accountId,
    actor: "operator",
    correlationId: commandId,
    causationId: commandId,
  });
  try {
    await run({ ...engines, runtime, isShared: config.eventStoreUrl !== undefined, contextFor });
  } finally {
    await engines.close();
  }
};

/**
 * The same, for what only looks at what is stored.
 * @throws {DataFolderError} when nothing is stored there: DATA_DIR is likely another folder than the service's.
 */
export const withStoredSession: typeof withSession = async (surroundings, run) => {
  requireStore(configFrom(surroundings.environment));
  await withSession(surroundings, run);
};
