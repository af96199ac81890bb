export { openQueryApi, type QueryApiParts } from "./app.ts";
