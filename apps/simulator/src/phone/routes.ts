import { createHash, timingSafeEqual } from "node:crypto";
import { PassThrough } from "node:stream";
import { sanitizePhone } from "@rubrica/identity";
import { ANSWER_LABELS, COPY_LABEL, LINK_LABEL } from "@rubrica/messaging";
import { isoTime } from "@rubrica/runtime";
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifySchema } from "fastify";
import { z } from "zod";
import { simulatorPage } from "./page.ts";
import { type Chat, hasButtons, type MessagingSimulator } from "./simulator.ts";
import type { StoredMessage } from "./store.ts";

/** Pages that may watch at once. */
const MAX_WATCHERS = 100;

/** A simulator's message as JSON. Times are ISO 8601 in UTC. */
export interface MessageJson {
  id: string;
  to: string;
  at: string;
  text: string;
  buttons: ("continue" | "no_continue")[];
  link: string | null;
}

const Phone = z.string().transform((raw, context) => {
  const sanitized = sanitizePhone(raw);
  if (sanitized.ok) return sanitized.phone;
  context.addIssue({ code: "custom", message: sanitized.message });
  return z.NEVER;
});
const MessagesQuery = z.object({ phone: Phone.optional() });
const PhoneParams = z.object({ phone: Phone });
const ReplyParams = z.object({ id: z.string() });
const ReplyBody = z.object({ button: z.enum(["continue", "no_continue"]) });
const PhoneBody = z.object({ reachable: z.boolean() });

/** The simulator is no part of the API that is documented. */
const schema: FastifySchema & { hide: true } = { hide: true };

/**
 * The simulator's phone in the browser at `/simulator`, and the same as JSON. Whoever reads its messages has signers'
 * links: but for the page itself, which holds nothing, every route wants `key` in the header `x-simulator-key`.
 */
export const simulatorRoutes =
  (simulator: MessagingSimulator, { key }: { key: string }): FastifyPluginAsync =>
  async (app) => {
    addPage(app);
    await app.register(async (guarded) => {
      guardBy(guarded, key);
      addMessageRoutes(guarded, simulator);
      addChatRoutes(guarded, simulator);
    });
  };

/** 401 without the key, before a body is read. */
const guardBy = (app: FastifyInstance, key: string): void => {
  const digestOf = (text: string) => createHash("sha256").update(text).digest();
  const expected = digestOf(key);
  app.addHook("onRequest", async ({ headers }, reply) => {
    const given = headers["x-simulator-key"];
    if (typeof given !== "string" || !timingSafeEqual(digestOf(given), expected))
      return reply.code(401).send({ error: "Unauthorized" });
  });
};

const addMessageRoutes = (app: FastifyInstance, simulator: MessagingSimulator): void => {
  app.get("/simulator/messages", { schema }, async (request, reply) => {
    const query = MessagesQuery.safeParse(request.query);
    if (!query.success) return invalid(reply, query.error);
    return simulator.messages(query.data.phone).map(messageJson);
  });

  app.post("/simulator/messages/:id/reply", { schema }, async (request, reply) => {
    const params = ReplyParams.parse(request.params);
    const body = ReplyBody.safeParse(request.body);
    if (!body.success) return invalid(reply, body.error);
    const outcome = simulator.reply(params.id, body.data.button);
    if (outcome === "no_such_message") return reply.code(404).send({ error: "Message not found" });
    if (outcome === "no_such_button") return reply.code(400).send({ error: "The message has no such button" });
    return { id: params.id, button: body.data.button };
  });

  app.post("/simulator/phones/:phone", { schema }, async (request, reply) => {
    const params = PhoneParams.safeParse(request.params);
    if (!params.success) return invalid(reply, params.error);
    const body = PhoneBody.safeParse(request.body);
    if (!body.success) return invalid(reply, body.error);
    simulator.setReachable(params.data.phone, body.data.reachable);
    return { phone: params.data.phone, reachable: body.data.reachable };
  });
};

const addPage = (app: FastifyInstance): void => {
  app.get("/simulator", { schema }, async (_request, reply) =>
    reply
      .headers({
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": simulatorPage.contentSecurityPolicy,
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "cache-control": "no-cache",
      })
      .send(simulatorPage.html),
  );
};

/** What only the page asks for. */
const addChatRoutes = (app: FastifyInstance, simulator: MessagingSimulator): void => {
  app.get("/simulator/chats", { schema }, async () => simulator.chats().map(chatJson));

  app.get("/simulator/chats/:phone", { schema }, async (request, reply) => {
    const params = PhoneParams.safeParse(request.params);
    if (!params.success) return invalid(reply, params.error);
    return simulator.messages(params.data.phone).map((message) => ({
      ...messageJson(message),
      buttons: hasButtons(message) ? BUTTONS.map((id) => ({ id, label: ANSWER_LABELS[id] })) : [],
      linkLabel: message.kind === "copy" ? COPY_LABEL : LINK_LABEL,
      replies: simulator
        .repliesTo(message.id)
        .map(({ answer, at, heard }) => ({ button: answer, label: ANSWER_LABELS[answer], at: isoTime(at), heard })),
    }));
  });

  app.post("/simulator/phones/:phone/read", { schema }, async (request, reply) => {
    const params = PhoneParams.safeParse(request.params);
    if (!params.success) return invalid(reply, params.error);
    simulator.markRead(params.data.phone);
    return { phone: params.data.phone };
  });

  addChangesRoute(app, simulator);
};

/** Server-sent events that say "something changed", and nothing of what. */
const addChangesRoute = (app: FastifyInstance, simulator: MessagingSimulator): void => {
  const watchers = new Set<PassThrough>();
  const stopListening = simulator.onChange(() => {
    // Nobody reads a stream that is full; its page fetches all once it gets the event that already lies there.
    for (const watcher of watchers) if (!watcher.writableNeedDrain) watcher.write("data: changed\n\n");
  });
  // An open stream would keep the server from closing.
  app.addHook("preClose", async () => {
    stopListening();
    for (const watcher of watchers) watcher.end();
  });

  app.get("/simulator/changes", { schema }, async (_request, reply) => {
    if (watchers.size >= MAX_WATCHERS) return reply.code(503).send({ error: "Too many pages are watching" });
    const watcher = new PassThrough();
    watchers.add(watcher);
    watcher.once("close", () => watchers.delete(watcher));
    watcher.write("retry: 1000\ndata: changed\n\n");
    return reply.headers({ "content-type": "text/event-stream", "cache-control": "no-store" }).send(watcher);
  });
};

const BUTTONS = ["continue", "no_continue"] as const;

const messageJson = ({ id, at, kind, content }: StoredMessage): MessageJson => ({
  id,
  to: content.to,
  at: isoTime(at),
  text: content.text,
  buttons: hasButtons({ kind, content }) ? [...BUTTONS] : [],
  link: content.link,
});

const chatJson = ({ phone, name, newest, reachable, undelivered, unread }: Chat) => ({
  phone,
  name,
  at: isoTime(newest.at),
  text: newest.delivered ? newest.content.text : null,
  reachable,
  undelivered,
  unread,
});

/** 400, naming the places of what is wrong without its value. */
const invalid = (reply: FastifyReply, { issues }: z.ZodError) =>
  reply.code(400).send({
    error: "Missing data or error information",
    details: issues.map(({ path, message }) => ({ path: path.join("."), message })),
  });
