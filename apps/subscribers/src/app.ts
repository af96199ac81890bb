import { createContinuity } from "@rubrica/commands";
import type { ObligationKind } from "@rubrica/domain";
import type { App, Host } from "@rubrica/hosting";
import { projectedChecks, projectedMeasurements, writingChecks } from "@rubrica/hosting/readiness";
import type { Docx } from "@rubrica/hosting/shared/docx";
import { type Signing, timestampsOf } from "@rubrica/hosting/shared/signing";
import { createOutbound } from "@rubrica/outbound";
import { createPdfEngine } from "@rubrica/pdf";
import { publicFileTokens, signingTokens } from "@rubrica/secrets";
import { newestHeadOf } from "./heads.ts";
import { mediaOf } from "./messages.ts";
import { createProviders } from "./providers.ts";
import { withContinuity } from "./subscriber.ts";
import { allSubscribers, runSubscribers, type SubscriberDependencies } from "./subscribers.ts";

/** For documents that everybody signed: they never wait behind what is sent. */
const SEALING_PROCESSES = 2;

/** What the subscribers may share with other apps of their process. */
export interface SubscribersParts extends Pick<SubscriberDependencies, "reports"> {
  docx: Pick<Docx, "templates" | "converter">;
  signing: Pick<Signing, "identity" | "roots">;
}

/** The subscribers, and what they meet. */
export interface Subscribers extends App {
  kinds: readonly ObligationKind[];
}

/** Opens the subscribers, and the helpers that stamp and seal. @throws {ConfigError} when a provider can't be used. */
export const openSubscribers = async (
  host: Host,
  { docx, signing, ...parts }: SubscribersParts,
): Promise<Subscribers> => {
  const { config, runtime, logger, engines, budget, publicUrl } = host;
  const { journal, handlers, files, keys, secrets, bus, readModels, customIdHmac } = engines;
  const { allowPrivateUrls: allowPrivate } = config;
  const { clock } = runtime;
  const sealing = createPdfEngine({ clock, budget, name: "sealing", processes: SEALING_PROCESSES });
  const stores = { journal, events: journal.store, handlers, files, keys, readModels, customIdHmac };
  const providers = await createProviders(host);
  const stopping = new AbortController();
  const all = allSubscribers({
    ...stores,
    ...parts,
    ...providers,
    media: mediaOf(providers.messaging),
    templates: docx.templates,
    converter: docx.converter,
    pdf: sealing,
    identity: signing.identity,
    roots: signing.roots,
    signedCopies: config.signedCopies,
    renewTimestamps: config.renewTimestamps,
    timestamps: timestampsOf(config),
    outbound: createOutbound({ clock, allowPrivate }),
    tokens: signingTokens(secrets),
    fileTokens: publicFileTokens(secrets),
    publicUrl,
    newestHead: newestHeadOf(handlers, keys.log, clock),
    onNoticesDropped: (dropped) =>
      logger.warn({ dropped }, "notices of messages that nobody knows after 7 days were dropped"),
    runtime,
    signal: stopping.signal,
  });
  const continuity = createContinuity({
    events: journal.store,
    known: keys.log,
    clock,
    onCut: ({ stream, revision }) =>
      logger.error(
        { stream, revision: Number(revision) },
        "a stream was cut or written anew since a head of the log: what it owes is not done until it is mended, or `rubrica audit accept-loss`",
      ),
  });
  const compareAll = async (signal: AbortSignal): Promise<void> => {
    try {
      await continuity.checkAll(signal);
    } catch (error) {
      logger.warn({ err: error }, "not all streams could be compared with the log's newest head");
    }
  };
  return {
    kinds: all.map(({ kind }) => kind),
    // Some of what is met is looked up in read models.
    checks: { ...writingChecks(host), ...projectedChecks(host) },
    measurements: { ...projectedMeasurements(host), streamsCut: async () => [{ value: continuity.cut }] },
    async run(signal) {
      signal.addEventListener("abort", () => stopping.abort(), { once: true });
      const guarded = all.map((subscriber) => withContinuity(continuity, subscriber));
      await Promise.all([runSubscribers(guarded, bus, clock, signal), compareAll(signal)]);
    },
    close: () => sealing.close(),
  };
};
