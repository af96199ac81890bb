import { photosToCheck } from "../document/photo-progress.ts";
import type { ObligationKind, ObligationsRecord, SignerProgress } from "./record.ts";

/** What is owed now: a kind, and the signer whom it is about, or null. */
export interface Owed {
  kind: Exclude<ObligationKind, "webhook">;
  signerId: string | null;
}

/** The first by order who has not signed. */
const nextInOrder = ({ signers }: ObligationsRecord): SignerProgress | undefined =>
  signers
    .filter(({ signed }) => !signed)
    .reduce<SignerProgress | undefined>((first, one) => (first && first.order < one.order ? first : one), undefined);

const owedToSigner = (record: ObligationsRecord, signer: SignerProgress, next: boolean): Owed["kind"][] => {
  const pending = record.status === "pending" && !signer.signed;
  const { line, turn, template, link, undeliverable, wantsLink } = signer;
  const owed: Record<"claim-turn" | "announce-turn" | "release-turn" | "send-template" | "send-link", boolean> = {
    "claim-turn": pending && next && turn === "waiting",
    "announce-turn": pending && line === "holds" && turn !== "came",
    "release-turn": line !== "off" && (!pending || undeliverable),
    "send-template": pending && turn === "came" && template === "unsent",
    "send-link": pending && wantsLink && link === "unsent",
  };
  return (Object.keys(owed) as (keyof typeof owed)[]).filter((kind) => owed[kind]);
};

/** The report comes after the seal and the provider's evidence, but waits for no provider that can't be reached for long. */
const owedAtTheEnd = ({ status, sealed, evidence, reported }: ObligationsRecord): Owed["kind"][] => {
  const toSeal = status === "completed" && !sealed;
  const toFetch = evidence === "kept" || evidence === "delayed";
  const toReport = !toSeal && evidence !== "kept" && !reported;
  return [
    ...(toSeal ? ["seal" as const] : []),
    ...(toFetch ? ["fetch-evidence" as const] : []),
    ...(toReport ? ["report" as const] : []),
  ];
};

const owedForDocument = (record: ObligationsRecord): Owed["kind"][] => {
  const { status, refunded } = record;
  switch (status) {
    case "preparing":
      return ["prepare"];
    case "pending":
      return [];
    case "completed":
    case "rejected":
      return owedAtTheEnd(record);
    case "failed":
      return refunded ? [] : ["refund"];
    default:
      return status satisfies never;
  }
};

/**
 * All that is owed by what is known of a document, webhooks apart. Derived anew from each event on, so that it does not
 * matter in which order a document's own events and those of the phones' lines come: what is owed is open, what is not
 * is closed.
 */
export const owedBy = (record: ObligationsRecord): Owed[] => {
  const owed: Owed[] = owedForDocument(record).map((kind) => ({ kind, signerId: null }));
  for (const { signerId, signed, photos } of record.signers) {
    if (record.status === "pending" && !signed && photosToCheck(photos))
      owed.push({ kind: "check-identity", signerId });
  }
  if (!record.sendMessages) return owed;
  const next = nextInOrder(record);
  for (const signer of record.signers) {
    for (const kind of owedToSigner(record, signer, signer === next)) owed.push({ kind, signerId: signer.signerId });
  }
  return owed;
};
