import type { TestProject } from "vitest/node";
import { OwnHost } from "./host.ts";
import { shareHost } from "./remote-host.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the processes that run attacks find the service that they all attack. */
    attacksHost: string;
  }
}

/** One service for all files of attacks. It starts when the first of them asks, and is judged when all are over. */
export default async ({ provide }: TestProject): Promise<() => Promise<void>> => {
  const host = new OwnHost();
  const shared = await shareHost(host);
  provide("attacksHost", shared.url);
  return async () => {
    await shared[Symbol.asyncDispose]();
    await host[Symbol.asyncDispose]();
  };
};
