import type { Config } from "@rubrica/config";
import type { Runtime } from "@rubrica/runtime";
import { createSecrets, customIdHmac, loadOrCreateSecret, type Secrets } from "@rubrica/secrets";
import { ensureDataFolder } from "./data-folder.ts";
import type { EngineListeners, Surroundings } from "./surroundings.ts";

/** What an app has that needs no engine. */
export interface NoEngines {
  secrets: Secrets;
  /** What is kept of a signer's `id_custom` to find it by. */
  customIdHmac: (accountId: string, idCustom: string) => string;
  /** Asks each engine whether it answers, by its name; each rejects, or takes its time, when it does not. */
  pings: Readonly<Record<string, () => Promise<void>>>;
  close(): Promise<void>;
}

/**
 * Opens what an app needs of the engines that the configuration names; embedded ones live in its data folder.
 * @throws {DataFolderError} when the folder can't be used, or SECRET is not the one that it was made with.
 * @throws {StoreFileError} when one of its files can't be used.
 * @throws {EngineUnreachable} when one over the wire does not answer.
 */
export type OpenEngines<Opened extends NoEngines> = (
  config: Config,
  runtime: Runtime,
  listeners?: EngineListeners,
) => Promise<Opened>;

/** What was opened before a step failed is closed again. */
export const opening =
  <Opened extends NoEngines>(
    open: (ground: Ground) => Promise<Unclosed<Opened>>,
    { keepsReads = false } = {},
  ): OpenEngines<Opened> =>
  async (config, runtime, listeners = {}) => {
    await using closing = new AsyncDisposableStack();
    const opened = await open({ config, runtime, listeners, keepsReads, closing });
    const kept = closing.move();
    return { ...opened, close: () => kept.disposeAsync() } as Opened;
  };

export const withSecrets = async ({ config, runtime, listeners }: Ground): Promise<Unclosed<NoEngines>> => {
  const { dataDir, eventStoreUrl, mongodbUrl, secret, formerSecrets } = config;
  if (eventStoreUrl === undefined || mongodbUrl === undefined || secret === undefined)
    for (const sentence of ensureDataFolder(dataDir)) listeners.warn?.(sentence);
  const current = secret ?? (await loadOrCreateSecret(dataDir, runtime.random));
  const secrets = createSecrets({ current, former: formerSecrets });
  return { secrets, customIdHmac: (accountId, idCustom) => customIdHmac(secrets, accountId, idCustom), pings: {} };
};

/** For apps that need none. */
export const openNoEngines: OpenEngines<NoEngines> = opening(withSecrets);

/** What engines stand on while they are opened. */
export interface Ground extends Surroundings {
  /** Closes what was opened, the last first. */
  closing: AsyncDisposableStack;
}

export type Unclosed<Opened extends NoEngines> = Omit<Opened, "close">;
