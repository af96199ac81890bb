import { serveTasks } from "@rubrica/helpers/serve";
import { read } from "./tasks.ts";

// A process that reads pictures.
serveTasks(read);
