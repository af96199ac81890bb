import { availableParallelism } from "node:os";
import { requireSms, requireWhatsApp } from "@rubrica/config";
import type { App, Host } from "@rubrica/hosting";
import { writingChecks } from "@rubrica/hosting/readiness";
import type { Stores } from "@rubrica/open-engines";
import { createFileFetcher, createOutbound } from "@rubrica/outbound";
import { createPdfEngine } from "@rubrica/pdf";
import { providerMessageId, signingTokens, simulatorKeys } from "@rubrica/secrets";
import { commandApi } from "./command-api.ts";
import type { CommandApiDependencies } from "./dependencies.ts";

/** One for each processor, and a spare one for senders who have none: one sender's documents hold up nobody else's. */
const UPLOADS = { processes: Math.max(2, Math.min(4, availableParallelism())), spare: 1 };

/** What the command API may share with other apps of its process. */
export type CommandApiParts = Pick<CommandApiDependencies, "directory" | "docx" | "images">;

/** Opens the command API: its routes, and the helpers that admit the documents of accounts. */
export const openCommandApi = (host: Host<Stores>, parts: CommandApiParts): App => {
  const { config, runtime, engines, budget, publicUrl } = host;
  const { handlers, files, keys, secrets } = engines;
  const { clock } = runtime;
  const { limits, retentionDays, allowPrivateUrls } = config;
  const pdf = createPdfEngine({ clock, budget, name: "uploads", ...UPLOADS });
  // The first document needn't wait for a process to start.
  pdf.warm();
  const outbound = createOutbound({ clock, allowPrivate: allowPrivateUrls });
  const fetcher = createFileFetcher({ outbound });
  const tokens = signingTokens(secrets);
  const stores = { handlers, files, keys, secrets };
  const { notices: noticesKey } = simulatorKeys(secrets, config.simulatorKey);
  const settings = requireWhatsApp(config);
  const whatsapp = settings && {
    ...settings,
    idOf: (wamid: string) => providerMessageId(secrets, "wa", wamid),
  };
  const adapter = requireSms(config);
  const sms = adapter && { key: adapter.key, idOf: (id: string) => providerMessageId(secrets, "sms", id) };
  const told = { noticesKey, sms, whatsapp };
  const reaching = { fetcher, outbound, allowPrivateUrls };
  const given = { ...stores, ...parts, ...told, ...reaching, pdf, tokens, runtime, limits, retentionDays, publicUrl };
  return {
    routes: commandApi(given),
    checks: writingChecks(host),
    close: () => pdf.close(),
  };
};
