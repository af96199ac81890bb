import { serveTasks } from "@rubrica/helpers/serve";
import { type PdfOutcome, runPdfTask } from "@rubrica/pdf/tasks";
import { render } from "../layout/render.ts";
import type { ReportTask } from "./render.ts";

// A process that sets reports, and prepares them to be sealed.
serveTasks(
  (task: ReportTask): Promise<Uint8Array | PdfOutcome> =>
    task.kind === "set" ? render(task.content) : runPdfTask(task),
);
