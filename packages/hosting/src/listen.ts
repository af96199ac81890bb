import type { Config } from "@rubrica/config";
import type { HttpServer } from "@rubrica/http";

/** The service can't listen where it is told to; the message is one sentence for the operator. */
export class ListenError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = "ListenError";
  }
}

type Where = Pick<Config, "host" | "port">;
/** The variables that say where. */
type Variables = Record<keyof Where, string>;

const SENTENCES: Readonly<Record<string, (where: Where, variables: Variables) => string>> = {
  EADDRINUSE: ({ port }, of) => `Port ${port} is in use: set ${of.port} to another one.`,
  EACCES: ({ port }, of) => `Port ${port} is not for this user: set ${of.port} to one from 1024 on.`,
  EADDRNOTAVAIL: ({ host }, of) =>
    `The address ${host} is none of this machine's: set ${of.host} to one that is, or to 0.0.0.0.`,
  ENOTFOUND: ({ host }, of) =>
    `The name ${host} has no address: set ${of.host} to an address of this machine, or to 0.0.0.0.`,
};
const OF_SERVICE: Variables = { host: "HOST", port: "PORT" };
/** A name server that does not answer is the same, to whoever set HOST, as one that does not know the name. */
const SAME: Readonly<Record<string, string>> = { EAI_AGAIN: "ENOTFOUND", EINVAL: "EADDRNOTAVAIL" };

/** A failure to listen in a sentence; any other error as it is. */
export const explainListening = (error: unknown, where: Where, variables = OF_SERVICE): unknown => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const sentence = SENTENCES[SAME[code] ?? code];
  return sentence ? new ListenError(sentence(where, variables), error) : error;
};

/** Listens where the configuration says, by these variables. @throws {ListenError} */
export const listen = async (app: HttpServer, { host, port }: Where, variables = OF_SERVICE): Promise<void> => {
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw explainListening(error, { host, port }, variables);
  }
};
