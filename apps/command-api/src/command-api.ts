import { apiKeyAuth, type HttpPlugin } from "@rubrica/http";
import { changeBusinessNameRoute } from "./account/change-business-name.ts";
import { bulkRoute } from "./bulk/route.ts";
import type { CommandApiDependencies } from "./dependencies.ts";
import { documentSetRoutes } from "./document-set/route.ts";
import { cancelRoute } from "./documents/cancel.ts";
import { changeDocumentRoute } from "./documents/change.ts";
import { correctSignerRoute } from "./documents/correct.ts";
import { resendRoute } from "./documents/resend.ts";
import { noticeRoutes } from "./inbound/notices.ts";
import { whatsAppRoutes } from "./inbound/whatsapp.ts";
import { signingRoutes } from "./signing/plugin.ts";
import { tellWarnings } from "./warnings.ts";
import { chooseWebhooksRoute } from "./webhooks/choose.ts";
import { redeliverRoute } from "./webhooks/redeliver.ts";
import { webhookTestRoute } from "./webhooks/test.ts";

/** The HTTP writes: an integrator's requests and a signer's actions, as commands. */
export const commandApi =
  (dependencies: CommandApiDependencies): HttpPlugin =>
  async (app) => {
    await app.register(signingRoutes(dependencies));
    await app.register(noticeRoutes(dependencies));
    await app.register(whatsAppRoutes(dependencies));
    await app.register(async (guarded) => {
      const { directory, runtime } = dependencies;
      await guarded.register(apiKeyAuth, { directory, clock: runtime.clock });
      tellWarnings(guarded);
      changeBusinessNameRoute(guarded, dependencies);
      bulkRoute(guarded, dependencies);
      changeDocumentRoute(guarded, dependencies);
      resendRoute(guarded, dependencies);
      correctSignerRoute(guarded, dependencies);
      cancelRoute(guarded, dependencies);
      redeliverRoute(guarded, dependencies);
      webhookTestRoute(guarded, dependencies);
      chooseWebhooksRoute(guarded, dependencies);
      await guarded.register(async (scope) => documentSetRoutes(scope, dependencies));
    });
  };
