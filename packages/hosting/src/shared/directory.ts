import type { AccountDirectory } from "@rubrica/http";
import type { Stores } from "@rubrica/open-engines";
import type { App } from "../app.ts";
import type { Host } from "../host.ts";
import { ReadModelAccountDirectory } from "./account-directory.ts";

/** Accounts and keys, which follow the events as long as it runs. */
export interface OpenDirectory extends App {
  directory: AccountDirectory;
}

/** Opens the directory of accounts and keys; it reads what the projector has not come to, at the first look-up. */
export const openDirectory = ({ engines, runtime: { clock }, logger }: Host<Stores>): OpenDirectory => {
  const onError = (error: unknown) => logger.error({ err: error }, "the directory of accounts can't be kept up");
  const directory = new ReadModelAccountDirectory({ ...engines, clock, onError });
  return { directory, run: (signal) => directory.follow(signal) };
};
