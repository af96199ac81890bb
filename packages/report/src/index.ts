export { createReports, type ReportDependencies, type Reports, ReportUnavailable } from "./reports.ts";
