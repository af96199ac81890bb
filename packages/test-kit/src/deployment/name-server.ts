import { createSocket } from "node:dgram";
import { once } from "node:events";

/** A name server on the loopback, as Docker's: it knows the addresses of each name, and says of others that there are none. */
export interface NameServer extends AsyncDisposable {
  port: number;
}

const HEADER_BYTES = 12;
const [TYPE_A, CLASS_IN] = [1, 1];
/** The answer's name is the question's, which begins after the header. */
const SAME_NAME = 0xc000 + HEADER_BYTES;
const RESPONSE = 0x8180;
const NO_SUCH_NAME = 3;

/** The name that a question is about, its type, and the bytes up to its end. */
const questionOf = (message: Buffer): { name: string; type: number; bytes: Buffer } => {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), type: message.readUInt16BE(at + 1), bytes: message.subarray(HEADER_BYTES, at + 5) };
};

const answerOf = (address: string): Buffer => {
  const answer = Buffer.alloc(16);
  answer.writeUInt16BE(SAME_NAME, 0);
  answer.writeUInt16BE(TYPE_A, 2);
  answer.writeUInt16BE(CLASS_IN, 4);
  answer.writeUInt16BE(4, 10);
  for (const [index, part] of address.split(".").entries()) answer.writeUInt8(Number(part), 12 + index);
  return answer;
};

/** @param addresses of each name, looked at with each question; IPv4. */
export const startNameServer = async (addresses: ReadonlyMap<string, readonly string[]>): Promise<NameServer> => {
  const socket = createSocket("udp4");
  socket.on("message", (message, { port, address }) => {
    const { name, type, bytes } = questionOf(message);
    const known = addresses.get(name);
    const answers = type === TYPE_A ? (known ?? []).map(answerOf) : [];
    const header = Buffer.alloc(HEADER_BYTES);
    message.copy(header, 0, 0, 2);
    header.writeUInt16BE(RESPONSE | (known ? 0 : NO_SUCH_NAME), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    socket.send(Buffer.concat([header, bytes, ...answers]), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    port: socket.address().port,
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, "close");
    },
  };
};
