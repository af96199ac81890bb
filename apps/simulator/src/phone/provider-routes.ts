import { guardByBearer, type HttpPlugin } from "@rubrica/http";
import { MAX_MESSAGE_BYTES, MessageJson, MessagingError, type Sent } from "@rubrica/messaging";
import { z } from "zod";
import type { MessagingSimulator } from "./simulator.ts";

const schema = {
  hide: true,
  body: MessageJson,
  response: { 200: z.object({ providerMessageId: z.string() }), 422: z.object({ reason: z.string() }) },
};

const taken = (simulator: MessagingSimulator, message: MessageJson): Promise<Sent> => {
  switch (message.kind) {
    case "template":
      return simulator.sendTemplate({ ...message, until: message.until ?? null });
    case "reminder": {
      const { link, until } = message;
      return simulator.sendReminder({
        ...message,
        link: link ?? "",
        hasContinued: link !== null,
        until: until ?? null,
      });
    }
    case "cancellation":
      return simulator.sendNote(message);
    case "refusal":
      return simulator.sendNote({ ...message, hasContinued: message.hasContinued ?? false });
    case "link":
      return simulator.sendLink({ ...message, until: message.until ?? null });
    case "copy":
      return simulator.sendCopy({ ...message, until: null });
    default:
      return message satisfies never;
  }
};

/** The messaging provider's side of docs/messaging-simulator.md, for whoever has the key. */
export const messagingProviderRoutes =
  (simulator: MessagingSimulator, { key }: { key: string }): HttpPlugin =>
  async (app) => {
    guardByBearer(app, { key, name: "simulator" });
    app.post(
      "/simulator/messaging/messages",
      { schema, bodyLimit: MAX_MESSAGE_BYTES },
      async ({ body: message }, reply) => {
        try {
          return await taken(simulator, message);
        } catch (error) {
          // The simulator refuses for good only.
          if (error instanceof MessagingError) return reply.code(422).send({ reason: error.reason });
          throw error;
        }
      },
    );
    app.delete(
      "/simulator/messaging/messages/:messageId",
      { schema: { hide: true, params: z.object({ messageId: z.string() }) } },
      async ({ params: { messageId } }, reply) => {
        simulator.forget(messageId);
        return reply.code(204).send();
      },
    );
  };
