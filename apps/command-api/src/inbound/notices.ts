import { receiveNotices } from "@rubrica/commands";
import { MAX_NOTICES, Notice } from "@rubrica/events";
import { guardByBearer, type HttpPlugin } from "@rubrica/http";
import { z } from "zod";
import type { CommandApiDependencies } from "../dependencies.ts";

/** A hundred notices with the longest ids. */
const MAX_BODY_BYTES = 65_536;

const MEDIA = { simulator: "wpp", sms: "sms" } as const;

/** Not in the API's description: no integrator calls it. */
const schema = {
  hide: true,
  body: z.strictObject({ notices: z.array(Notice).min(1).max(MAX_NOTICES) }),
  response: { 200: z.object({ received: z.int() }) },
};

/**
 * Takes what the simulator of phones tells of messages, as docs/messaging-simulator.md has it, and what an adapter for
 * text messages does (docs/sms-provider.md). What is answered with 200 is kept; what it is about is found out later.
 */
export const noticeRoutes =
  ({
    handlers,
    runtime,
    noticesKey,
    sms,
  }: Pick<CommandApiDependencies, "handlers" | "runtime" | "noticesKey" | "sms">): HttpPlugin =>
  async (app) => {
    const route =
      (from: keyof typeof MEDIA, key: string | undefined, idOf: (id: string) => string): HttpPlugin =>
      async (routes) => {
        guardByBearer(routes, { key, name: "messaging provider" });
        routes.post(`/inbound/${from}`, { schema, bodyLimit: MAX_BODY_BYTES }, async ({ body: { notices } }) => {
          const told = notices.map((notice) => ({ ...notice, providerMessageId: idOf(notice.providerMessageId) }));
          await receiveNotices(handlers, MEDIA[from], told, runtime.clock);
          return { received: notices.length };
        });
      };
    await app.register(route("simulator", noticesKey, (id) => id));
    await app.register(route("sms", sms?.key, (id) => sms?.idOf(id) ?? id));
  };
