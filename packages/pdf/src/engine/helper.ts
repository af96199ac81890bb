import { serveTasks } from "@rubrica/helpers/serve";
import { runPdfTask } from "./pdf-task.ts";

// A process that does the engine's tasks.
serveTasks(runPdfTask);
