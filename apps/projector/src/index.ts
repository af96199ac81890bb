export { openProjector, type ProjectorOptions } from "./app.ts";
