import {
  ana,
  completed,
  event,
  given,
  preparationFailed,
  rejected,
  requested,
  requestedInBulk,
  sealed,
  signed,
} from "@rubrica/test-kit/document-history";
import { describe, test } from "vitest";
import { recordReport } from "../../src/index.ts";

const finished = [requested(), signed(ana), completed];
const report = event("ReportGenerated", { sizeBytes: 90_000 });

describe("the report", () => {
  test("is built once the document is sealed, once", () => {
    given(...finished)
      .when(recordReport, { sizeBytes: 90_000 })
      .fails("document_open");
    given(...finished, sealed)
      .when(recordReport, { sizeBytes: 90_000 })
      .then(report);
    given(...finished, sealed, report)
      .when(recordReport, { sizeBytes: 1 })
      .then();
  });
  test("is built of a rejected document too", () =>
    given(requested(), rejected(ana)).when(recordReport, { sizeBytes: 90_000 }).then(report));
  test("is not built of an open document, nor of one that was never prepared", () => {
    given(requested()).when(recordReport, { sizeBytes: 1 }).fails("document_open");
    given(requestedInBulk(), preparationFailed).when(recordReport, { sizeBytes: 1 }).fails("document_open");
  });
});
