import type { EventLoopReport } from "@rubrica/test-kit";
import type { Report } from "./host.ts";
import { KINDS } from "./neighbour.ts";

/** What one iteration of the service's event loop computes, at most, whoever asks for whatever. */
const ITERATION_MS = 100;
const TREE_MB = 900;
/** What LibreOffice may hold, each of its processes: as `packages/docx` has it, and what it takes between two looks. */
const OFFICE_MB = { native: 1_024, wasm: 3_584 };
const OFFICE_MARGIN = 1.1;
const MEGABYTE = 1_048_576;

const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(0);

const iterationOf = ({ longestIterationMs, longestIterationSystemMs, longestPauseMs }: EventLoopReport): string =>
  `${longestIterationMs.toFixed(0)} ms (system ${longestIterationSystemMs.toFixed(0)} ms; longest collection of garbage ${longestPauseMs.toFixed(0)} ms)`;

/** What an attack did to the service and to those beside it, each in a sentence; nothing when they went on as before. */
export const harmOf = ({ ended, faults, warnings, eventLoop, seen }: Report): string[] => {
  const harm: string[] = [];
  if (ended !== undefined) harm.push(`the process ended: ${ended}`);
  harm.push(...faults, ...warnings);
  harm.push(...new Set(seen.refused));
  for (const kind of KINDS)
    if (seen.neighbourMs[kind].length === 0) harm.push(`nobody asked for a neighbour's ${kind}`);
  if (eventLoop && eventLoop.longestIterationMs > ITERATION_MS)
    harm.push(`one iteration of the event loop computed for ${iterationOf(eventLoop)}`);
  if (seen.peakBytes > TREE_MB * MEGABYTE) harm.push(`the process tree held ${megabytes(seen.peakBytes)} MB`);
  for (const engine of ["native", "wasm"] as const) {
    const bytes = seen.officePeakBytes[engine];
    if (bytes > OFFICE_MB[engine] * OFFICE_MARGIN * MEGABYTE) harm.push(`LibreOffice held ${megabytes(bytes)} MB`);
  }
  return harm;
};

/** Whether a long iteration, or the memory of the tree, is all the harm that was done: what else ran is a part of both. */
export const isWorthAnotherLook = (report: Report): boolean => {
  const { eventLoop: _, seen, ...others } = report;
  return harmOf(report).length > 0 && harmOf({ ...others, seen: { ...seen, peakBytes: 0 } }).length === 0;
};

/** A report on one line, for people who watch. */
export const lineOf = ({ eventLoop, seen }: Report): string => {
  const counts = KINDS.map((kind) => `${seen.neighbourMs[kind].length} ${kind}`).join(", ");
  return [
    eventLoop ? `longest iteration ${iterationOf(eventLoop)} of ${eventLoop.totalMs.toFixed(0)} ms` : "it ended",
    `answered beside it: ${seen.livezMs.length} /livez, ${counts}`,
    `${megabytes(seen.peakBytes)} MB, LibreOffice ${megabytes(Math.max(...Object.values(seen.officePeakBytes)))} MB`,
  ].join("; ");
};
