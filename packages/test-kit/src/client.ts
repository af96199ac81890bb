import { eventually } from "./polling.ts";
import type { SignerFields } from "./samples.ts";
import { sampleDrawing } from "./samples.ts";

/** What a service answered. */
export interface Answer {
  status: number;
  headers: Headers;
  bytes: Buffer;
  text: string;
  /** The body as JSON. @throws {SyntaxError} when it is not JSON. */
  json<Body = unknown>(): Body;
}

/** A document that was accepted. */
export interface DocumentAccepted {
  id_seguimiento: string;
  created_at: number;
  has_queued_signers: boolean;
  urls: {
    link: string;
    name: string;
    dni: string;
    contact: string;
    method: string;
    id_custom: string;
    queued: boolean;
    queued_behind: string | null;
  }[];
}

/** A message as the simulated phone shows it. */
export interface SimulatedMessage {
  id: string;
  to: string;
  at: string;
  text: string;
  buttons: ("continue" | "no_continue")[];
  link: string | null;
}

interface SigningOverview {
  document_sha256: string;
  consent: { version: string };
}

/** An integrator, the signers and their phones, over HTTP. What is not answered with 200 throws, but for `send`, `read` and `post…`. */
export interface RubricaClient {
  /** Any request, with the account's key, or to the simulator with its key. A `body` that is no string or buffer goes as JSON. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** A GET, as an integrator does it: again while read models are behind. */
  read(path: string): Promise<Answer>;
  /** What `/readyz` says: again while a part does not answer it in time, as on a busy machine. */
  readiness(): Promise<Answer>;
  postDocument(pdf: Uint8Array, signers: readonly SignerFields[], fields?: object): Promise<Answer>;
  requestDocument(pdf: Uint8Array, signers: readonly SignerFields[], fields?: object): Promise<DocumentAccepted>;
  status(id: string): Promise<{ is_finished: boolean; signed_at: number | null; is_finished_mission?: boolean }>;
  /** The names of the events in the document's log, in order. */
  eventNames(id: string): Promise<string[]>;
  /** Signs as the person behind the link. */
  postSignature(link: string): Promise<Answer>;
  sign(link: string): Promise<void>;
  reject(link: string, reason?: string): Promise<void>;
  /** What arrived on a phone, the oldest first. */
  messagesTo(phone: string): Promise<SimulatedMessage[]>;
  press(messageId: string, button: "continue" | "no_continue"): Promise<void>;
  setReachable(phone: string, reachable: boolean): Promise<void>;
}

const bodyOf = (body: unknown): { body?: string | Uint8Array<ArrayBuffer> } => {
  if (body === undefined) return {};
  if (typeof body === "string") return { body };
  return { body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body) };
};

/** What a GET is answered with while read models are behind, of all that a 503 may say. */
const NOT_YET = "not ready to be read yet";

/** Whether an answer says that read models are behind: an integrator then asks again. */
export const saysNotYet = ({ status, text }: { status: number; text: string }): boolean =>
  status === 503 && text.includes(NOT_YET);

/** What `/readyz` says of a part whose answer it waited for in vain. */
const UNANSWERED = "it does not answer";

/** The token of a signing link. */
const tokenOf = (link: string): string => new URL(link).pathname.replace(/^\/s\//, "");

const done = (answer: Answer): Answer => {
  if (answer.status !== 200) throw new Error(`answered ${answer.status}: ${answer.text.slice(0, 500)}`);
  return answer;
};

/** A client of the service at `url`. Without the simulator's key it reaches no phone. */
export const rubricaClient = ({
  url,
  apiKey,
  simulatorKey = "",
}: {
  url: string;
  apiKey: string;
  simulatorKey?: string;
}): RubricaClient => {
  const send: RubricaClient["send"] = async (method, path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(path.startsWith("/simulator") ? { "x-simulator-key": simulatorKey } : { "x-api-key": apiKey }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...bodyOf(body),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const text = bytes.toString("utf8");
    return { status: response.status, headers: response.headers, bytes, text, json: () => JSON.parse(text) };
  };
  const read: RubricaClient["read"] = (path) =>
    eventually(`an answer to GET ${path}`, async () => {
      const answer = await send("GET", path);
      return !saysNotYet(answer) && answer;
    });
  const readiness: RubricaClient["readiness"] = () =>
    eventually("an answer of every part to GET /readyz", async () => {
      const answer = await send("GET", "/readyz");
      return !(answer.status === 503 && answer.text.includes(UNANSWERED)) && answer;
    });
  const get = async <Body>(path: string): Promise<Body> => done(await read(path)).json<Body>();
  const post = async (path: string, body: object): Promise<Answer> => done(await send("POST", path, body));
  const postDocument: RubricaClient["postDocument"] = (pdf, signers, fields = {}) =>
    send("POST", "/api/v2/documentSet", {
      document: Buffer.from(pdf).toString("base64"),
      datos_firmantes: signers,
      ...fields,
    });
  const postSignature: RubricaClient["postSignature"] = async (link) => {
    const path = `/api/signing/${tokenOf(link)}`;
    const { document_sha256, consent } = await get<SigningOverview>(path);
    const body = { garabato: sampleDrawing, consent_version: consent.version, document_sha256 };
    return send("POST", `${path}/sign`, body);
  };
  return {
    send,
    read,
    readiness,
    postDocument,
    requestDocument: async (...request) => done(await postDocument(...request)).json<DocumentAccepted>(),
    status: (id) => get(`/api/v2/signatureStatus/${id}`),
    eventNames: async (id) =>
      (await get<{ events: { event: string }[] }>(`/api/eventLogs/${id}`)).events.map(({ event }) => event),
    postSignature,
    sign: async (link) => void done(await postSignature(link)),
    reject: async (link, reason = "wrong amount") =>
      void (await post(`/api/signing/${tokenOf(link)}/reject`, { reason })),
    messagesTo: (phone) => get(`/simulator/messages?phone=${phone}`),
    press: async (messageId, button) => void (await post(`/simulator/messages/${messageId}/reply`, { button })),
    setReachable: async (phone, reachable) => void (await post(`/simulator/phones/${phone}`, { reachable })),
  };
};
