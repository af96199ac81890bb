export { openQueryApi, type QueryApiParts } from "./app.ts";
export { apiPages } from "./pages/pages.ts";
