import { History } from "@rubrica/test-kit/history";

const documentId = (number: number) => `019aa5c0-0000-7000-8000-0000000000d${number}`;
const person = { idCustom: "1", name: "Ana Paz", idNumber: "1", idNumberCountry: null, email: null };

/** Signed at once, signed late by text message, waiting in line, rejected after a second selfie, withdrawn from its line. */
export const fiveDocuments = (): History => {
  const history = new History();
  const life = (number: number, phone: string, data: object, steps: readonly [string, string, object?][]) => {
    const stream = { kind: "document", id: documentId(number) } as const;
    const [first, ...others] = steps;
    const requested = { documentId: documentId(number), ...data };
    const personal = { signers: [{ ...person, phone }] };
    history.add("DocumentRequested", { at: first?.[1] ?? "", data: requested, personal }, stream);
    for (const [type, at, given = {}] of others)
      history.add(type as "DocumentSigned", { at, data: given } as never, stream);
  };
  life(1, "5491122334455", { campaignId: 7 }, [
    ["DocumentRequested", "2026-11-16T10:00:00.000Z"],
    ["SignerTurnCame", "2026-11-16T10:00:01.000Z"],
    ["MessageAttempted", "2026-11-16T10:00:02.000Z"],
    ["MessageSent", "2026-11-16T10:00:03.000Z"],
    ["MessageDelivered", "2026-11-16T10:00:05.000Z"],
    ["TemplateAnswered", "2026-11-16T10:30:00.000Z"],
    ["SigningPageOpened", "2026-11-16T11:00:00.000Z"],
    ["DocumentSigned", "2026-11-16T12:00:00.000Z"],
    ["DocumentCompleted", "2026-11-16T12:00:00.000Z"],
    ["DocumentSealed", "2026-11-16T12:00:10.000Z"],
  ]);
  const webhookId = `${history.events.at(-1)?.id}:webhook:alert`;
  const delivery = { webhookId, documentId: documentId(1) };
  history.add("WebhookAttempted", { at: "2026-11-16T12:00:11.000Z", data: delivery });
  history.add("WebhookDelivered", { at: "2026-11-16T12:00:12.000Z", data: { ...delivery, durationMs: 420 } });
  life(2, "59899123456", { campaignId: 7 }, [
    ["DocumentRequested", "2026-11-17T10:00:00.000Z"],
    ["SignerTurnCame", "2026-11-17T10:00:01.000Z"],
    ["MessageAttempted", "2026-11-17T10:00:02.000Z"],
    ["MessageFailed", "2026-11-17T10:00:03.000Z", { reason: "unreachable", nextMedium: "sms" }],
    ["MessageAttempted", "2026-11-17T10:00:04.000Z", { medium: "sms", attempt: 2 }],
    ["MessageSent", "2026-11-17T10:00:05.000Z", { medium: "sms", attempt: 2, providerMessageId: "s", withLink: true }],
    ["MessageDelivered", "2026-11-17T10:00:06.000Z", { providerMessageId: "s" }],
    ["SigningPageOpened", "2026-11-20T10:00:00.000Z"],
    ["DocumentSigned", "2026-11-20T10:00:00.000Z"],
    ["DocumentCompleted", "2026-11-20T10:00:00.000Z"],
  ]);
  life(3, "5491122334455", {}, [
    ["DocumentRequested", "2026-11-23T09:00:00.000Z"],
    ["SignerQueued", "2026-11-23T09:00:01.000Z"],
  ]);
  life(4, "5491122334466", { validatePhotos: true }, [
    ["DocumentRequested", "2026-11-24T10:00:00.000Z"],
    ["SignerTurnCame", "2026-11-24T10:00:01.000Z"],
    ["MessageAttempted", "2026-11-24T10:00:02.000Z"],
    ["MessageSent", "2026-11-24T10:00:03.000Z"],
    ["MessageRead", "2026-11-24T10:00:04.000Z"],
    ["TemplateAnswered", "2026-11-24T10:00:05.000Z"],
    ["SelfieUploaded", "2026-11-24T10:01:00.000Z"],
    ["SelfieUploaded", "2026-11-24T10:02:00.000Z", { attempt: 2 }],
    ["Rejected", "2026-11-24T10:03:00.000Z"],
  ]);
  life(5, "5491122334455", {}, [
    ["DocumentRequested", "2026-11-23T08:00:00.000Z"],
    ["SignerQueued", "2026-11-23T08:00:01.000Z"],
    ["DocumentWithdrawn", "2026-11-23T08:30:00.000Z"],
  ]);
  return history;
};
