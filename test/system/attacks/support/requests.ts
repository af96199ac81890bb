import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { systemClock } from "@rubrica/runtime";

/** Longer than any answer takes, however slow the machine: tells what hangs. */
const HANG_MS = 540_000;

/** A request as an attacker sends it. */
export interface Sent {
  method?: "GET" | "POST" | "PUT";
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array | string;
  /** The address of the loopback that it comes from: any of 127.0.0.0/8. */
  from?: string;
}

/** What came back. */
export interface Answered {
  /** 0 when the connection was cut before an answer, -1 when nothing came for minutes. */
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
  ms: number;
}

const CUT = 0;
const HUNG = -1;

/** Sends one request on a connection of its own; never throws. */
export const send = (url: string, { method, path, headers = {}, body, from = "127.0.0.1" }: Sent): Promise<Answered> =>
  new Promise((resolve) => {
    const startedMs = systemClock.monotonicMs();
    const agent = new Agent({ keepAlive: false, localAddress: from });
    const answered = (status: number, more: Partial<Answered> = {}) => {
      agent.destroy();
      resolve({ status, headers: {}, body: Buffer.alloc(0), ...more, ms: systemClock.monotonicMs() - startedMs });
    };
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const sent = request(
      url + path,
      { agent, method: method ?? (body === undefined ? "GET" : "POST"), headers: { ...length, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        const whole = () => {
          const { statusCode: status = CUT, headers } = response;
          answered(status, { headers, body: Buffer.concat(chunks) });
        };
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.once("end", whole).once("error", whole);
      },
    );
    sent.setTimeout(HANG_MS, () => {
      answered(HUNG);
      sent.destroy();
    });
    // After an answer, that the rest of the body was not wanted is no news.
    sent.on("error", () => answered(CUT));
    sent.end(body);
  });

/** An address of the loopback unlike any other number's. `number`: 0 to 4,000,000. */
export const addressOf = (number: number): string =>
  `127.${1 + (number >> 16)}.${(number >> 8) & 0xff}.${1 + (number % 254)}`;

/** A connection on which bytes are written one by one; what comes back is gathered. */
export interface RawConnection extends Disposable {
  socket: Socket;
  /** What came back so far. */
  answer(): string;
  /** Resolves when the other side has ended or broken the connection. */
  closed: Promise<void>;
}

export const rawConnection = (port: number, from = "127.0.0.1"): RawConnection => {
  const socket = connect({ port, host: "127.0.0.1", localAddress: from });
  let answer = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    answer += text;
  });
  // A broken connection is an answer too: `closed` tells of it.
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  return { socket, answer: () => answer, closed, [Symbol.dispose]: () => socket.destroy() };
};

/** Whether an answer is one that a bad or an expensive request may get: no success, but never a fault of the service. */
export const isRefusal = ({ status, headers }: Answered): boolean =>
  (status >= 400 && status < 500) || (status === 503 && headers["retry-after"] !== undefined);
