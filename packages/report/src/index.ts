// The legal report: what the log says of one document, told in Spanish and set as a PDF.
// It must not decide what happened: it tells events.

export { createReports, type ReportDependencies, type Reports, ReportUnavailable } from "./reports.ts";
