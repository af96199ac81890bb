import { apiKeyAuth, type HttpPlugin } from "@rubrica/http";
import type { CommandApiDependencies } from "./dependencies.ts";
import { documentSetRoute } from "./document-set/route.ts";
import { signingRoutes } from "./signing/plugin.ts";

export type { CommandApiDependencies, CommandApiLimits } from "./dependencies.ts";

/** The HTTP writes: an integrator's requests and a signer's actions, as commands. */
export const commandApi =
  (dependencies: CommandApiDependencies): HttpPlugin =>
  async (app) => {
    await app.register(signingRoutes(dependencies));
    await app.register(async (guarded) => {
      await guarded.register(apiKeyAuth, { directory: dependencies.directory, clock: dependencies.runtime.clock });
      documentSetRoute(guarded, dependencies);
    });
  };
