import type { Fault } from "@rubrica/http";

/** The 400 of a document request: one fixed text, and every fault by the integrator's path. */
export const badDocumentRequest = (details: readonly Fault[]) => ({
  error: ["Missing data or error information"],
  details,
});
