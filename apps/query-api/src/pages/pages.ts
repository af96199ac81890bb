import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { App, Host } from "@rubrica/hosting";
import { landingPage } from "@rubrica/hosting/shared/landing-page";
import { welcomeOf } from "@rubrica/hosting/shared/welcome";
import { type DescribedApi, openApiOf } from "@rubrica/http";

/** What all apps' routes are, as a service of all of them describes them: made by `generate.ts`. */
const DESCRIPTION = join(import.meta.dirname, "openapi.json");

/**
 * The API's own pages, where apps run apart: `GET /`, `GET /openapi.json` and `GET /reference`, of all apps' routes, none
 * of which is loaded for it.
 */
export const apiPages = ({ config, publicUrl }: Pick<Host, "config" | "publicUrl">): App => ({
  async routes(server) {
    const described = JSON.parse(readFileSync(DESCRIPTION, "utf8")) as DescribedApi;
    await server.register(openApiOf, { document: { ...described, servers: [{ url: publicUrl }] } });
    // Behind one address the simulator has that one as well.
    const phones = config.messaging.includes("simulator") ? publicUrl : null;
    await server.register(landingPage(welcomeOf(publicUrl, phones)));
  },
});
