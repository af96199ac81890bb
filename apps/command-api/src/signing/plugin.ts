import type { HttpPlugin } from "@rubrica/http";
import type { CommandApiDependencies } from "../dependencies.ts";
import { photoRoute } from "./photos.ts";
import { readingRoutes } from "./reading.ts";
import { rejectRoute } from "./reject.ts";
import { signRoute } from "./sign.ts";

/** The signer's API: guarded by the token in its paths, for the signing page and for an integrator's own page. */
export const signingRoutes =
  (dependencies: CommandApiDependencies): HttpPlugin =>
  async (app) => {
    readingRoutes(app, dependencies);
    signRoute(app, dependencies);
    rejectRoute(app, dependencies);
    await app.register(async (scope) => photoRoute(scope, dependencies));
  };
