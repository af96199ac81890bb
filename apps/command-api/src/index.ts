export { type CommandApiParts, openCommandApi } from "./app.ts";
