import { once } from "node:events";
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net";

/** A TCP proxy on the loopback that can lose answers. */
export interface CuttingProxy extends AsyncDisposable {
  port: number;
  /** From now on what the server says is thrown away, while it still hears everything. */
  deafen(): void;
  /** Cuts what is connected; who connects anew hears everything again. */
  cut(): void;
}

/** Stands between a client and the server on that port. */
export const startCuttingProxy = async (target: number): Promise<CuttingProxy> => {
  const clients = new Set<Socket>();
  let isDeaf = false;
  const proxy = createServer((client) => {
    const server = createConnection(target, "127.0.0.1");
    clients.add(client);
    client.on("error", () => {}).on("data", (bytes) => server.write(bytes));
    server.on("error", () => {}).on("data", (bytes) => !isDeaf && client.write(bytes));
    client.on("close", () => {
      clients.delete(client);
      server.destroy();
    });
    server.on("close", () => client.destroy());
  });
  const cut = () => {
    isDeaf = false;
    for (const client of clients) client.destroy();
  };
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    port: (proxy.address() as AddressInfo).port,
    deafen() {
      isDeaf = true;
    },
    cut,
    async [Symbol.asyncDispose]() {
      proxy.close();
      cut();
      await once(proxy, "close");
    },
  };
};
