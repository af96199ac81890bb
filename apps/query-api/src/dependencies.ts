import type { EventStore, Position } from "@rubrica/event-store";
import type { FileStore } from "@rubrica/file-store";
import type { AccountDirectory } from "@rubrica/http";
import type { ReadModelStore } from "@rubrica/read-models";
import type { Reports } from "@rubrica/report";
import type { Clock } from "@rubrica/runtime";
import type { PublicFileTokens } from "@rubrica/secrets";

/** Tells when the read models have come up to a position; a ProjectionRunner is one. */
export interface Freshness {
  /** Resolves when every projection is at or past the position (true), or when `timeoutMs` are over (false). */
  waitFor(position: Position, timeoutMs: number): Promise<boolean>;
}

/** What the reading side is built on. */
export interface QueryApiDependencies {
  clock: Clock;
  events: Pick<EventStore, "streamHead" | "readLast" | "head">;
  readModels: Pick<ReadModelStore, "get">;
  freshness: Freshness;
  files: Pick<FileStore, "get">;
  /** Legal reports of documents. */
  reports: Pick<Reports, "build">;
  /** What opens the public files of legacy documents. */
  fileTokens: Pick<PublicFileTokens, "read">;
  accounts: AccountDirectory;
  /** Where integrators reach the service, without a slash at the end. */
  publicUrl: string;
}
