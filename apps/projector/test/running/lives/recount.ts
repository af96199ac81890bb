import type { JournalEvent } from "@rubrica/journal";

type Value = string | number | boolean | null;
export type Recounted = Record<
  "documents" | "signers" | "messages" | "webhooks" | "log_entries",
  Record<string, Value>[]
>;

const countries: Readonly<Record<string, string>> = { "598": "UY", "549": "AR", "521": "MX" };
const countryOf = (phone: string): string | null => countries[phone.slice(0, 3)] ?? null;

/** Events of one document, looked through anew for each answer. */
class Told {
  readonly events: readonly JournalEvent[];

  constructor(events: readonly JournalEvent[]) {
    this.events = events;
  }

  all(type: string, by: Record<string, unknown> = {}): JournalEvent[] {
    return this.events.filter(
      (event) =>
        event.type === type &&
        Object.entries(by).every(([name, value]) => (event.data as Record<string, unknown>)[name] === value),
    );
  }

  first(type: string, by: Record<string, unknown> = {}): string | null {
    return this.all(type, by)[0]?.metadata.at ?? null;
  }

  last(type: string, by: Record<string, unknown> = {}): string | null {
    return this.all(type, by).at(-1)?.metadata.at ?? null;
  }
}

const earliest = (...times: (string | null)[]): string | null =>
  times.filter((time) => time !== null).sort()[0] ?? null;
const between = (from: string | null, to: string | null): number | null =>
  from && to ? Date.parse(to) - Date.parse(from) : null;
const dataOf = (event: JournalEvent | undefined) => (event?.data ?? {}) as Record<string, Value>;

/** The rows that documents are to have, counted from their events by rules that know nothing of projections. */
export const recount = (events: readonly JournalEvent[]): Recounted => {
  const byDocument = Map.groupBy(events, (event) =>
    event.streamKind === "delivery" ? (event.data as { documentId: string }).documentId : event.streamId,
  );
  const rows: Recounted = { documents: [], signers: [], messages: [], webhooks: [], log_entries: [] };
  for (const [documentId, own] of byDocument) {
    const of = recountOne(documentId, new Told(own));
    for (const name of Object.keys(rows) as (keyof Recounted)[]) rows[name].push(...of[name]);
  }
  return rows;
};

const recountOne = (documentId: string, told: Told): Recounted => {
  const requested = told.all("DocumentRequested")[0];
  if (requested?.type !== "DocumentRequested") throw new Error("never asked for");
  const request = {
    documentId,
    accountId: requested.metadata.accountId,
    campaignId: requested.data.campaignId,
    channel: requested.data.channel,
    requestedAt: requested.metadata.at,
  };
  const identityRequired = requested.data.validatePhotos;
  const signers = requested.data.signers.map(({ signerId, order }) => {
    const phone = requested.personal?.signers[order]?.phone;
    return signerOf({ signerId, order, identityRequired, country: phone ? countryOf(phone) : null }, request, told);
  });
  return {
    documents: [documentOf(requested, request, signers, told)],
    signers,
    messages: requested.data.signers.flatMap(({ signerId, order }) => messagesOf(signerId, order, request, told)),
    webhooks: webhooksOf(requested, request, told),
    log_entries: entriesOf(requested, request, told),
  };
};

type Request = { documentId: string; accountId: string; requestedAt: string } & Record<string, Value>;
type Requested = Extract<JournalEvent, { type: "DocumentRequested" }>;

const documentOf = (requested: Requested, request: Request, signers: Record<string, Value>[], told: Told) => {
  const [completed, rejected, withdrawn] = ["DocumentCompleted", "Rejected", "DocumentWithdrawn"].map((type) =>
    told.first(type),
  );
  const sealedAt = told.first("DocumentSealed");
  const step = told.events.findLast(({ type }) =>
    ["SignerQueued", "SignerTurnCame", "SigningPageOpened", "DocumentSigned"].includes(type),
  );
  const open = !step ? "requested" : step.type === "SignerQueued" ? "waiting" : "in_progress";
  const first = (name: string) => earliest(...signers.map((signer) => signer[name] as string | null));
  const [reachedAt, firstOpenedAt, firstSignedAt] = [first("reachedAt"), first("openedAt"), first("signedAt")];
  return {
    ...request,
    bulkCallId: null,
    state: sealedAt ? "sealed" : completed ? "completed" : rejected ? "rejected" : withdrawn ? "withdrawn" : open,
    endedBecause: completed
      ? "signed"
      : rejected
        ? "rejected"
        : withdrawn
          ? (dataOf(told.all("DocumentWithdrawn")[0]).reason ?? null)
          : null,
    reachedAt,
    firstOpenedAt,
    firstSignedAt,
    completedAt: completed ?? null,
    sealedAt,
    endedAt: earliest(completed ?? null, rejected ?? null, withdrawn ?? null),
    pages: requested.data.pageCount,
    bytes: requested.data.file?.size ?? null,
    signers: signers.length,
    signed: signers.filter((signer) => signer.signedAt).length,
    msToReach: between(request.requestedAt, reachedAt),
    msToOpen: between(request.requestedAt, firstOpenedAt),
    msToComplete: between(request.requestedAt, completed ?? null),
    identityRequired: requested.data.validatePhotos,
    erased: told.all("DocumentErased").length > 0,
  };
};

const signerOf = (
  who: { signerId: string; order: number; identityRequired: boolean; country: string | null },
  request: Request,
  told: Told,
) => {
  const { signerId, identityRequired } = who;
  const first = (type: string, by = {}) => told.first(type, { signerId, ...by });
  const check = (upload: string, result: string, by = {}) => {
    const attempts = told.all(upload, { signerId });
    const results = told.all(result, { signerId, ...by });
    const outcome = results.length === attempts.length ? dataOf(results.at(-1)).result : "pending";
    return { attempts: attempts.length, outcome: attempts.length > 0 ? (outcome ?? null) : null };
  };
  const [selfie, idFront, idBack] = [
    check("SelfieUploaded", "SelfieValidated"),
    check("IdFrontUploaded", "IdDocumentValidated", { side: "front" }),
    check("IdBackUploaded", "IdDocumentValidated", { side: "back" }),
  ];
  const approved = [selfie, idFront, idBack].every(({ outcome }) => outcome === "approved");
  const [signedAt, rejectedAt] = [first("DocumentSigned"), first("Rejected")];
  const [reachedAt, openedAt] = [
    earliest(first("MessageDelivered", { kind: "template" }), first("MessageRead", { kind: "template" })),
    first("SigningPageOpened"),
  ];
  const identifiedAt = identityRequired && approved ? (told.last("IdDocumentValidated", { signerId }) ?? null) : null;
  const [continuedAt, refusedAt] = [first("TemplateAnswered"), told.last("ContinueRefused", { signerId })];
  const came = [true, reachedAt || refusedAt, continuedAt, openedAt, identifiedAt, signedAt];
  const furthest = came.findLastIndex(Boolean);
  const sent = told.all("MessageSent", { signerId });
  const unreachableAt = told.last("MessageFailed", { signerId, nextAttemptAt: null });
  const reachedState = ["asked", "reached", "continued", "opened", "identified"][furthest] ?? null;
  const withdrawnAt = told.first("DocumentWithdrawn");
  const turnAt = told.last("SignerTurnCame", { signerId });
  return {
    ...request,
    order: who.order,
    state: signedAt
      ? "signed"
      : rejectedAt
        ? "rejected"
        : unreachableAt && furthest < 3
          ? "unreachable"
          : furthest > 0 || sent.length > 0
            ? reachedState
            : "queued",
    furthest,
    medium: dataOf(sent.at(-1)).medium ?? null,
    country: who.country,
    identityRequired,
    queuedAt: told.last("SignerQueued", { signerId }),
    turnAt,
    askedAt: first("MessageSent"),
    reachedAt,
    continuedAt,
    refusedAt,
    linkSentAt: earliest(first("SignatureLinkSent"), first("MessageSent", { withLink: true })),
    openedAt,
    identifiedAt,
    signedAt,
    rejectedAt,
    withdrawnAt: signedAt ? null : withdrawnAt,
    unreachableAt,
    msToSign: between(request.requestedAt, signedAt),
    msToSignFromTurn: between(turnAt, signedAt),
    selfieAttempts: selfie.attempts,
    selfieOutcome: selfie.outcome,
    idFrontAttempts: idFront.attempts,
    idFrontOutcome: idFront.outcome,
    idBackAttempts: idBack.attempts,
    idBackOutcome: idBack.outcome,
    mrzAttempts: 0,
    mrzOutcome: null,
    providerFailures: 0,
  };
};

/** A row for each message and each medium: one attempt by each, in these lives. */
const messagesOf = (signerId: string, order: number, { documentId, accountId }: Request, told: Told) =>
  told.all("MessageAttempted", { signerId }).map((attempt) => {
    const { kind, messageId, medium } = dataOf(attempt);
    const of = { messageId, medium };
    const taken = [...told.all("MessageSent", of), ...told.all("SignatureLinkSent", of)][0];
    const { providerMessageId = "none" } = dataOf(taken);
    const [deliveredAt, readAt] = [
      told.first("MessageDelivered", { messageId, providerMessageId }),
      told.first("MessageRead", { messageId, providerMessageId }),
    ];
    const failed = told.all("MessageFailed", of)[0];
    return {
      documentId,
      accountId,
      order,
      kind: kind ?? null,
      medium: medium ?? null,
      provider: "Acme Identity",
      outcome: readAt ? "read" : deliveredAt ? "delivered" : taken ? "sent" : failed ? "undeliverable" : "attempted",
      errorCode: dataOf(failed).reason ?? null,
      attempts: 1,
      attemptedAt: attempt.metadata.at,
      sentAt: taken?.metadata.at ?? null,
      deliveredAt,
      readAt,
      failedAt: failed?.metadata.at ?? null,
    };
  });

const webhooksOf = (requested: Requested, { documentId, accountId, channel }: Request, told: Told) => {
  if (!requested.data.hasWebhook) return [];
  const failed = told.all("MessageFailed", { nextAttemptAt: null }).map((event) => ["msg", event] as const);
  const rejected = channel === "v2" ? told.all("Rejected").map((event) => ["rejection", event] as const) : [];
  const sealed = told.all("DocumentSealed").map((event) => ["alert", event] as const);
  return [...failed, ...rejected, ...sealed].map(([kind, { metadata }]) => {
    const tries = kind === "alert" ? told : new Told([]);
    const attempts = tries.all("WebhookAttempted").length;
    const [delivered, failure] = [tries.all("WebhookDelivered")[0], tries.all("WebhookAttemptFailed")[0]];
    const takenAt = delivered?.metadata.at ?? null;
    return {
      documentId,
      accountId,
      kind,
      receiver: requested.personal === null ? null : `receiver of ${accountId}`,
      outcome: delivered ? "delivered" : "pending",
      attempts,
      status: dataOf(delivered).status ?? null,
      createdAt: metadata.at,
      firstAttemptAt: tries.first("WebhookAttempted"),
      takenAt,
      msFirstAttempt: dataOf(failure ?? delivered).durationMs ?? null,
      msToTake: between(metadata.at, takenAt),
    };
  });
};

const entryNames: Readonly<Record<string, string>> = {
  TemplateAnswered: "template_response",
  ContinueRefused: "no_continue",
  SignatureLinkSent: "signature_link_sent",
  DocumentSigned: "document_signed",
  Rejected: "document_rejected",
  SelfieValidated: "selfie_biometric_validation",
  IdDocumentValidated: "dni_biometric_validation",
};

const entriesOf = (requested: Requested, { documentId, accountId }: Request, told: Told) => {
  const arrived = new Set<Value>();
  const entries: Record<string, Value>[] = [];
  for (const event of told.events) {
    const { signerId, providerMessageId, withLink, reason, attempt, result, side } = dataOf(event);
    let name = entryNames[event.type];
    if (event.type === "MessageSent" && withLink) name = "signature_link_sent";
    if (event.type === "DocumentWithdrawn") name = `document_${reason}`;
    if (event.type === "MessageDelivered" || event.type === "MessageRead") {
      if (!arrived.has(providerMessageId ?? null)) name = "msg_delivered";
      arrived.add(providerMessageId ?? null);
    }
    if (name === undefined) continue;
    const photo = event.type === "SelfieValidated" ? "selfie" : side === "front" ? "idFront" : "idBack";
    const checked = name.endsWith("_validation");
    entries.push({
      documentId,
      accountId,
      number: entries.length,
      event: name,
      order: requested.data.signers.find((signer) => signer.signerId === signerId)?.order ?? 0,
      at: event.metadata.at,
      attempt: checked ? (attempt ?? null) : null,
      result: checked ? (result ?? null) : null,
      photo: checked ? photo : null,
    });
  }
  return entries;
};
