import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { Notice } from "@rubrica/events";
import type { MessagingProvider } from "@rubrica/messaging";
import {
  challengeOf,
  createWhatsAppProvider,
  isSignedByApp,
  noticesOf,
  templateDefinitions,
  type WhatsAppOptions,
} from "@rubrica/messaging/whatsapp";
import { type Clock, systemClock } from "@rubrica/runtime";
import { eventually } from "@rubrica/test-kit";
import {
  startWhatsAppDouble,
  type WhatsAppDouble,
  type WhatsAppDoubleOptions,
} from "@rubrica/test-kit/whatsapp-double";
import { listeningPort } from "../ports.ts";

export const LINK_BASE = "https://firma.example/s/";
export const templates = {
  request: { name: "rubrica_request", language: "es" },
  requestNote: { name: "rubrica_request_note", language: "es" },
  requestUntil: { name: "rubrica_request_until", language: "es" },
  requestNoteUntil: { name: "rubrica_request_note_until", language: "es" },
  link: { name: "rubrica_link", language: "es" },
  linkUntil: { name: "rubrica_link_until", language: "es" },
  copy: { name: "rubrica_copy", language: "es" },
  canceled: { name: "rubrica_canceled", language: "es" },
  reminder: { name: "rubrica_reminder", language: "es" },
  reminderUntil: { name: "rubrica_reminder_until", language: "es" },
  reminderLink: { name: "rubrica_reminder_link", language: "es" },
  reminderLinkUntil: { name: "rubrica_reminder_link_until", language: "es" },
};
export const idOf = (wamid: string) => `wa.${createHash("sha256").update(wamid).digest("hex")}`;

/** The provider before the double, which knows the templates; what the double tells is read as the service reads it. */
export interface WhatsAppWorld extends AsyncDisposable {
  double: WhatsAppDouble;
  provider: MessagingProvider;
  notices: readonly Notice[];
  notice(fits: (notice: Notice) => boolean): Promise<Notice>;
}

export const openWhatsApp = async (
  options: WhatsAppDoubleOptions & Partial<Pick<WhatsAppOptions, "token" | "phoneNumberId" | "clock">> = {},
): Promise<WhatsAppWorld> => {
  await using opening = new AsyncDisposableStack();
  const double = opening.use(await startWhatsAppDouble(options));
  for (const definition of templateDefinitions(templates, LINK_BASE)) double.approve(definition);
  const notices: Notice[] = [];
  const listener = opening.use(await listen(double, notices));
  await double.subscribe(listener.url);
  const clock: Clock = options.clock ?? systemClock;
  const { url: baseUrl, token, phoneNumberId } = { ...double, ...options };
  const provider = createWhatsAppProvider({
    baseUrl,
    graphVersion: "v26.0",
    token,
    phoneNumberId,
    templates,
    linkBase: LINK_BASE,
    idOf,
    clock,
  });
  const opened = opening.move();
  return {
    double,
    provider,
    notices,
    notice: (fits) => eventually("a notice", () => notices.find(fits)),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
};

/** A service's side of the webhook. */
const listen = async ({ appSecret, verifyToken, phoneNumberId }: WhatsAppDouble, notices: Notice[]) => {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (request.method === "GET") {
      const challenge = challengeOf(Object.fromEntries(url.searchParams), verifyToken);
      return void response.writeHead(challenge ? 200 : 403).end(challenge);
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const isMetas = isSignedByApp(body, request.headers["x-hub-signature-256"], [appSecret]);
    if (isMetas) notices.push(...noticesOf(JSON.parse(body.toString()), { phoneNumberId, idOf }));
    response.writeHead(isMetas ? 200 : 401).end();
  }).listen(0, "127.0.0.1");
  const port = await listeningPort(server);
  return {
    url: `http://127.0.0.1:${port}/inbound/whatsapp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
