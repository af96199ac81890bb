import { apiKeyAuth, type HttpPlugin } from "@rubrica/http";
import type { QueryApiDependencies } from "./dependencies.ts";
import { eventLogs } from "./event-log.ts";
import { sentDocument, signedDocument, signerPhoto } from "./files.ts";
import { DocumentFinder } from "./find-document.ts";
import { findDocuments } from "./find-documents.ts";
import { funnel } from "./funnel.ts";
import { publicFiles } from "./public-files.ts";
import { legalReport } from "./report.ts";
import { signatureStatus } from "./signature-status.ts";
import { signerMetadata } from "./signer-metadata.ts";
import { documentWebhooks, failedWebhooks } from "./webhooks.ts";

/**
 * The reading side of the API, behind `x-api-key` but for the public files of legacy documents: register it with a
 * server of `createHttpServer`.
 */
export const queryApi =
  (dependencies: QueryApiDependencies): HttpPlugin =>
  async (app) => {
    const { accounts, clock, files, peopleOf, publicUrl, reports } = dependencies;
    const finder = new DocumentFinder(dependencies);
    await app.register(publicFiles(dependencies, finder));
    await app.register(async (guarded) => {
      await guarded.register(apiKeyAuth, { directory: accounts, clock });
      await guarded.register(findDocuments(dependencies));
      await guarded.register(signatureStatus(finder));
      await guarded.register(eventLogs(finder, peopleOf, publicUrl));
      await guarded.register(signerMetadata(finder, files, peopleOf));
      await guarded.register(signedDocument(finder, files));
      await guarded.register(sentDocument(finder, files));
      await guarded.register(signerPhoto(finder, files, peopleOf));
      await guarded.register(legalReport(finder, reports));
      await guarded.register(documentWebhooks(finder, dependencies));
      await guarded.register(failedWebhooks(dependencies));
      await guarded.register(funnel(dependencies));
    });
  };
