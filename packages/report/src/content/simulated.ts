import type { Provider } from "@rubrica/events";
import type { Evidence, SignerEvidence } from "../evidence/evidence.ts";
import type { Block } from "../layout/blocks.ts";
import type { ReportTexts } from "../texts.ts";
import { clipped } from "./words.ts";

const MAX_NAME = 100;

/** Who simulated, by their names, and whether somebody did not; who is not recorded counts for neither. */
const simulatedBy = (providers: readonly (Provider | null)[]) => ({
  names: [...new Set(providers.flatMap((provider) => (provider?.simulated ? [clipped(provider.name, MAX_NAME)] : [])))],
  inPart: providers.some((provider) => provider?.simulated === false),
});

const identityProviders = ({ checks, provider }: SignerEvidence): (Provider | null)[] => [
  ...checks.map((check) => check.provider),
  ...(typeof provider === "string" ? [] : [provider.provider]),
];

/** Who simulated what, by their names; nobody where nothing was. */
const simulators = ({ signers }: Evidence) => ({
  messages: simulatedBy(signers.flatMap(({ steps }) => steps.map(({ provider }) => provider))),
  identity: simulatedBy(signers.flatMap(identityProviders)),
});

/** What stands on each page of a document that is no evidence: of the demo account, or with parts simulated. */
export const pageNotice = (evidence: Evidence, { simulation: words }: ReportTexts): string | null => {
  const { messages, identity } = simulators(evidence);
  if (evidence.demo) return words.demoOnPage;
  return messages.names.length + identity.names.length > 0 ? words.onPage : null;
};

/** What was simulated, and that the own authority sealed, where nobody can miss it. */
export const simulationBanners = (evidence: Evidence, { simulation: words }: ReportTexts): Block[] => {
  const { messages, identity } = simulators(evidence);
  const sentences = [
    ...(evidence.demo ? [words.demo] : []),
    ...(messages.names.length > 0 ? [words.messages(messages.names, messages.inPart)] : []),
    ...(identity.names.length > 0 ? [words.identity(identity.names, identity.inPart)] : []),
  ];
  return [
    ...(sentences.length > 0
      ? [{ kind: "banner", tone: "bad", title: words.title, sentence: sentences.join(" ") } as const]
      : []),
    ...(evidence.seal?.ownAuthority
      ? [{ kind: "banner", tone: "muted", title: words.ownAuthorityTitle, sentence: words.ownAuthority } as const]
      : []),
  ];
};

/** A provider by name, and whether it only simulates. */
export const saidProvider = (provider: Provider | null, { simulation: words }: ReportTexts): string => {
  if (!provider) return words.notRecorded;
  const name = clipped(provider.name, MAX_NAME);
  return provider.simulated ? words.simulatedBy(name) : name;
};
