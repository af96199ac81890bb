import { countedBy, countLink, countStranger, type HttpPlugin } from "@rubrica/http";
import { linkName } from "@rubrica/secrets";
import type { CommandApiDependencies } from "../dependencies.ts";
import { photoRoute } from "./photos.ts";
import { readingRoutes } from "./reading.ts";
import { rejectRoute } from "./reject.ts";
import { sessionOf, unknownLink } from "./session.ts";
import { signRoute } from "./sign.ts";

/**
 * The signer's API, for the signing page and for an integrator's own page: guarded by the token in its paths, which is
 * looked at before a body is read.
 */
export const signingRoutes =
  (dependencies: CommandApiDependencies): HttpPlugin =>
  async (app) => {
    countedBy(app, "link");
    app.addHook<{ Params: { token: string } }>("onRequest", async (request, reply) => {
      const { token } = request.params;
      const link = dependencies.tokens.read(token);
      if (!link) {
        countStranger(request, reply);
        throw unknownLink();
      }
      countLink(request, reply, linkName(link));
      if (request.method === "POST") await sessionOf(dependencies, token);
    });
    readingRoutes(app, dependencies);
    signRoute(app, dependencies);
    rejectRoute(app, dependencies);
    await app.register(async (scope) => photoRoute(scope, dependencies));
  };
