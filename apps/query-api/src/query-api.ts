import { apiKeyAuth, type HttpPlugin } from "@rubrica/http";
import type { QueryApiDependencies } from "./dependencies.ts";
import { eventLogs } from "./event-log.ts";
import { signedDocument, signerPhoto } from "./files.ts";
import { DocumentFinder } from "./find-document.ts";
import { signatureStatus } from "./signature-status.ts";
import { signerMetadata } from "./signer-metadata.ts";

/** The reading side of the API, all behind `x-api-key`: register it with a server of `createHttpServer`. */
export const queryApi =
  (dependencies: QueryApiDependencies): HttpPlugin =>
  async (app) => {
    const { accounts, clock, files, publicUrl } = dependencies;
    const finder = new DocumentFinder(dependencies);
    await app.register(apiKeyAuth, { directory: accounts, clock });
    await app.register(signatureStatus(finder));
    await app.register(eventLogs(finder, publicUrl));
    await app.register(signerMetadata(finder, files));
    await app.register(signedDocument(finder, files));
    await app.register(signerPhoto(finder, files));
  };
