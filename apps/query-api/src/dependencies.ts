import type { EventStore } from "@rubrica/event-store";
import type { AccountDirectory } from "@rubrica/http";
import type { CorrectedSigner, CustomIdHmac, Freshness, ReadModelStore } from "@rubrica/read-models";
import type { Reports } from "@rubrica/report";
import type { Clock } from "@rubrica/runtime";
import type { PublicFileTokens } from "@rubrica/secrets";
import type { FileStore } from "@rubrica/storage";
import type { Names, People } from "./people.ts";

/** What the reading side is built on. */
export interface QueryApiDependencies {
  clock: Clock;
  events: Pick<EventStore, "streamEnd" | "readLast" | "readStream" | "lastPosition">;
  readModels: Pick<ReadModelStore, "get" | "findRange" | "countFunnel">;
  /** Who a document's signers were by its request, and after each correction of one. */
  peopleOf(documentId: string, corrections: readonly CorrectedSigner[]): Promise<readonly People[]>;
  /** What a document is called, and its people. */
  namesOf(documentId: string, corrections: readonly CorrectedSigner[]): Promise<Names>;
  /** Why a document ended, by the revision of the event that ended it. */
  reasonOf(documentId: string, revision: string): Promise<string | null>;
  customIdHmac: CustomIdHmac;
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
