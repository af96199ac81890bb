import { receiveNotices } from "@rubrica/commands";
import { MAX_NOTICES, Notice } from "@rubrica/events";
import { guardByBearer, type HttpPlugin } from "@rubrica/http";
import { z } from "zod";
import type { CommandApiDependencies } from "../dependencies.ts";

/** A hundred notices with the longest ids. */
const MAX_BODY_BYTES = 65_536;

/** Not in the API's description: no integrator calls it. */
const schema = {
  hide: true,
  body: z.strictObject({ notices: z.array(Notice).min(1).max(MAX_NOTICES) }),
  response: { 200: z.object({ received: z.int() }) },
};

/**
 * Takes what the simulator of phones tells of messages, as docs/messaging-simulator.md has it. What is answered with 200
 * is kept; what it is about is found out later.
 */
export const noticeRoutes =
  ({
    handlers,
    runtime,
    noticesKey,
  }: Pick<CommandApiDependencies, "handlers" | "runtime" | "noticesKey">): HttpPlugin =>
  async (app) => {
    guardByBearer(app, { key: noticesKey, name: "messaging provider" });
    app.post("/inbound/simulator", { schema, bodyLimit: MAX_BODY_BYTES }, async ({ body: { notices } }) => {
      await receiveNotices(handlers, notices, runtime.clock);
      return { received: notices.length };
    });
  };
