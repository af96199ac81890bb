import { createHttpServer, createLogger, type HttpPlugin } from "@rubrica/http";
import { systemRuntime } from "@rubrica/runtime";

/** Routes on a port of the loopback. */
export interface Served extends AsyncDisposable {
  url: string;
}

/** Serves routes as a process does. */
export const serving = async (routes: HttpPlugin): Promise<Served> => {
  const runtime = systemRuntime();
  const app = createHttpServer({ runtime, logger: createLogger({ clock: runtime.clock, level: "silent" }) });
  await app.register(routes);
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  return { url, [Symbol.asyncDispose]: () => app.close() };
};
