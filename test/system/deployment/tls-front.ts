import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import { createServer } from "node:tls";
import { repository } from "@rubrica/test-kit";

/** What encrypts in front of an engine that does not. */
export interface TlsFront extends AsyncDisposable {
  /** On `localhost`. */
  port: number;
}

/**
 * Has docker/eventstoredb-certificates.sh make what EventStoreDB encrypts with, and encrypts with it in front of a port
 * of the loopback.
 * @param certificates a folder that is made
 */
export const startTlsFront = async (certificates: string, behind: number): Promise<TlsFront> => {
  mkdirSync(certificates, { mode: 0o755 });
  execFileSync(join(repository, "docker/eventstoredb-certificates.sh"), [certificates]);
  const [key, cert] = ["node.key", "node.crt"].map((name) => readFileSync(join(certificates, name)));
  if (!key || !cert) throw new Error("no certificate was made");
  const sockets = new Set<Socket>();
  const server = createServer({ key, cert, ALPNProtocols: ["h2"] }, (outer) => {
    const inner = connect(behind, "127.0.0.1");
    for (const [one, other] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.once("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};
