import type { Config } from "@rubrica/config";
import type { HttpServer } from "@rubrica/http";

/** The service can't listen where it is told to; the message is one sentence for the operator. */
export class ListenError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = "ListenError";
  }
}

const SENTENCES: Readonly<Record<string, (where: Pick<Config, "host" | "port">) => string>> = {
  EADDRINUSE: ({ port }) => `Port ${port} is in use: set PORT to another one.`,
  EACCES: ({ port }) => `Port ${port} is not for this user: set PORT to one from 1024 on.`,
  EADDRNOTAVAIL: ({ host }) => `The address ${host} is none of this machine's: set HOST to one that is, or to 0.0.0.0.`,
  ENOTFOUND: ({ host }) => `The name ${host} has no address: set HOST to an address of this machine, or to 0.0.0.0.`,
};
/** The name server does not answer: to whoever set HOST it is the same. */
const SAME: Readonly<Record<string, string>> = { EAI_AGAIN: "ENOTFOUND", EINVAL: "EADDRNOTAVAIL" };

/** A failure to listen in a sentence; any other error as it is. */
export const explainListening = (error: unknown, where: Pick<Config, "host" | "port">): unknown => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const sentence = SENTENCES[SAME[code] ?? code];
  return sentence ? new ListenError(sentence(where), error) : error;
};

/** Listens where the configuration says. @throws {ListenError} */
export const listen = async (app: HttpServer, { host, port }: Pick<Config, "host" | "port">): Promise<void> => {
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw explainListening(error, { host, port });
  }
};
