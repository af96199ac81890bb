import type { Obligation, ObligationsRecord } from "@rubrica/domain";
import type { SimulatedMessage } from "@rubrica/test-kit";
import type { Call } from "../call-receiver.ts";

/** Where the fixtures' webhooks go: below the ports that tests are given. */
export const receiverPort = 10_973;

/** What the release that made a folder ran with, and whoever opens the folder runs with. */
export const formerEnvironment = {
  SECRET: "the-secret-of-a-former-release-0123456789",
  DEMO_API_KEY: "former-key-0123456789",
  SIMULATOR_KEY: "former-simulator-key-0123456789",
  PUBLIC_URL: "http://localhost:8080",
  ALLOW_PRIVATE_URLS: "true",
} as const;

/** What a former release answered, and kept, just before it was stopped. */
export interface FormerFolder {
  madeAt: string;
  documents: Record<
    string,
    {
      id: string;
      links: string[];
      /** By the path of the GET. */
      answers: Record<string, { status: number; body: unknown }>;
      sealedSha256: string | null;
    }
  >;
  /** Open ones, by the document's id, as its read model had them. */
  obligations: Record<string, readonly Partial<Obligation>[]>;
  /** The last event that the read model had seen, by its place in the log. */
  projectedTo: number;
  /** On the simulated phone, by number. */
  messages: Record<string, SimulatedMessage[]>;
  webhooks: Call[];
}

/** What a document owes, webhooks that wait for an earlier one among it: a record of before these waited had all in `open`. */
export const owedIn = ({
  open,
  webhooks,
}: Pick<ObligationsRecord, "open"> & Partial<ObligationsRecord>): readonly Obligation[] => {
  if (webhooks === undefined) return open;
  const waiting = webhooks.filter(({ isOver }) => !isOver).map(({ obligation }) => obligation);
  return [...open.filter(({ kind }) => kind !== "webhook"), ...waiting];
};

/** What is asked about a document. */
export const formerPaths = (id: string): string[] => [
  `/api/v2/signatureStatus/${id}`,
  `/api/v2/signers/${id}/metadata`,
  `/api/eventLogs/${id}`,
];
