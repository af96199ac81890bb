import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** An integrator: told of each callback, under its id, it does what `onCallback` says before it answers. */
export const integrator = async (
  onCallback: (type: string, data: Record<string, unknown>, id: string | undefined) => Promise<void>,
) => {
  const told: { type: string; id: string | undefined; failure: unknown }[] = [];
  let news = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const { type, data } = JSON.parse(await text(request));
    const id = request.headers["webhook-id"]?.toString();
    const failure = await onCallback(type, data, id).catch((error: unknown) => error);
    told.push({ type, id, failure });
    response.end();
    news.resolve();
    news = Promise.withResolvers();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    told,
    /** The callback of that type, once it came. */
    async callback(type: string) {
      for (;;) {
        const found = told.find((one) => one.type === type);
        if (found) return found;
        await news.promise;
      }
    },
    /** Resolves once that is so; looked at after each callback. */
    async until(isSo: () => boolean) {
      while (!isSo()) await news.promise;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};
