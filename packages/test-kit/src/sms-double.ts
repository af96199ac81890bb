import { createServer, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { z } from "zod";
import { eventually } from "./polling.ts";
import { listeningPort } from "./ports.ts";

const MAX_BODY_BYTES = 8_192;

/** docs/sms-provider.md: nothing else is in a message. */
const SmsJson = z.strictObject({
  messageId: z.string().regex(/^[\x21-\x7e]{1,200}$/),
  to: z.string().regex(/^\d{8,15}$/),
  text: z.string().min(1).max(400),
});

/** A text message that was taken. */
export type TakenSms = z.infer<typeof SmsJson> & { providerMessageId: string };

/** What is answered instead of taking it; `cut`: the connection ends. */
export type SmsAnswer =
  | { status: number; body?: object; headers?: Record<string, string> }
  /** It is taken, and the answer is lost. */
  | "answer_lost"
  | "cut_off";

/** An adapter to a vendor of text messages, as docs/sms-provider.md describes one; it refuses what that page refuses. */
export interface SmsDouble extends AsyncDisposable {
  url: string;
  key: string;
  /** The variables by which a service reaches it. */
  environment: Readonly<Record<string, string>>;
  taken: readonly TakenSms[];
  /** By the service's own ids. */
  forgotten: readonly string[];
  /** Requests that came, whatever became of them. */
  asked(): number;
  /** How the next messages go. */
  next(...answers: SmsAnswer[]): void;
  /** How each message goes of which `next` says nothing, from now on; it is taken where nothing is answered. */
  otherwise(answerOf: () => SmsAnswer | undefined): void;
  smsTo(phone: string): Promise<TakenSms>;
  /** Tells a service of a message; gives the status of its answer. */
  tell(serviceUrl: string, notice: Record<string, unknown>, key?: string): Promise<number>;
}

const json = (status: number, body: object, headers: Record<string, string> = {}) => ({ status, body, headers });

/** Starts the double. */
export const startSmsDouble = async (): Promise<SmsDouble> => {
  const key = "key-of-the-sms-adapter";
  const taken: TakenSms[] = [];
  const forgotten: string[] = [];
  const answers: SmsAnswer[] = [];
  let otherwise = (): SmsAnswer | undefined => undefined;
  let asked = 0;
  const take = (body: Buffer): Exclude<SmsAnswer, string> & { sms?: TakenSms } => {
    if (body.length > MAX_BODY_BYTES) return json(413, {});
    const { data: sms } = SmsJson.safeParse(JSON.parse(body.toString("utf8")));
    if (!sms) return json(400, {});
    const providerMessageId = `vendor-${sms.to}-${taken.length + 1}`;
    taken.push({ ...sms, providerMessageId });
    return json(200, { providerMessageId });
  };
  const answerTo = async (request: IncomingMessage): Promise<Exclude<SmsAnswer, "answer_lost">> => {
    asked += 1;
    const body = await buffer(request);
    if (request.headers.authorization !== `Bearer ${key}`) return json(401, {});
    const [, messageId] = /^\/v1\/messages\/([^/]+)$/.exec(request.url ?? "") ?? [];
    if (request.method === "DELETE" && messageId !== undefined) {
      forgotten.push(decodeURIComponent(messageId));
      return { status: 204 };
    }
    if (request.method !== "POST" || request.url !== "/v1/messages") return json(404, {});
    if (!request.headers["content-type"]?.startsWith("application/json")) return json(415, {});
    const answer = answers.shift() ?? otherwise();
    if (answer === undefined) return take(body);
    if (answer === "answer_lost") take(body);
    return answer === "answer_lost" ? "cut_off" : answer;
  };
  const server = createServer((request, response) => {
    void answerTo(request).then((answer) => {
      if (answer === "cut_off") return request.socket.destroy();
      response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
      response.end(answer.body ? JSON.stringify(answer.body) : undefined);
    });
  }).listen(0, "127.0.0.1");
  const port = await listeningPort(server);
  const url = `http://127.0.0.1:${port}/v1`;
  return {
    url,
    key,
    environment: { SMS_PROVIDER_URL: url, SMS_PROVIDER_KEY: key },
    taken,
    forgotten,
    asked: () => asked,
    next: (...more) => void answers.push(...more),
    otherwise(answerOf) {
      otherwise = answerOf;
    },
    smsTo: (phone) => eventually(`a text message to ${phone}`, () => taken.find(({ to }) => to === phone)),
    async tell(serviceUrl, notice, shown = key) {
      const response = await fetch(`${serviceUrl}/inbound/sms`, {
        method: "POST",
        headers: { authorization: `Bearer ${shown}`, "content-type": "application/json" },
        body: JSON.stringify({ notices: [notice] }),
      });
      return response.status;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
