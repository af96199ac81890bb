export { openSigningWeb } from "./app.ts";
