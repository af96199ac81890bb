import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface HalfSent extends Disposable {
  socket: Socket;
  /** Resolves once the other side has taken what was sent, or closed. */
  taken: Promise<void>;
  /** The answer's status, once there is one. */
  status(): Promise<number>;
  /** All that was answered, once the other side has closed. */
  answer(): Promise<string>;
}

/** What bodies begin with, by its size: many that are sent at once share it, and none changes it. */
const beginnings = new Map<number, Buffer>();
const beginningOf = (bytes: number): Buffer => {
  const beginning = beginnings.get(bytes) ?? Buffer.alloc(bytes, " ");
  beginnings.set(bytes, beginning);
  return beginning;
};

/** Sends a POST's head and the beginning of its body, and never the rest. */
export const sendHalf = async (
  url: string,
  path: string,
  {
    headers = {},
    announcedBytes,
    sentBytes,
  }: { headers?: Record<string, string>; announcedBytes: number; sentBytes: number },
): Promise<HalfSent> => {
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  // What is refused may be cut off.
  socket.on("error", () => undefined);
  let received = "";
  socket.setEncoding("latin1").on("data", (text) => {
    received += text;
  });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const head = Object.entries({ host, "content-length": String(announcedBytes), ...headers });
  socket.write(`POST ${path} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
  const written = new Promise<void>((resolve) => socket.write(beginningOf(sentBytes), () => resolve()));
  return {
    socket,
    taken: Promise.race([written, closed]),
    async status() {
      while (!received.includes("\r\n") && !socket.closed) await Promise.race([once(socket, "data"), closed]);
      return Number(/^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1]);
    },
    async answer() {
      await closed;
      return received;
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
};
