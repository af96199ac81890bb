import { type DomainEvent, definitionOf, deliveryEvents, documentEvents, sample } from "@rubrica/events";
import { History, ofSample } from "@rubrica/test-kit/history";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AnalyticsRecord, analyticTables, eventLog, type Row, type Table, webhooks } from "../../src/index.ts";
import { analytics } from "../../src/projections/analytics.ts";

const signers = [sample.signerId, "019aa5c0-0000-7000-8000-000000000052"];
const placed = signers.map((signerId, order) => ({
  signerId,
  lineId: sample.lineId,
  order,
  group: order,
  placement: { pages: 1, x: 1, y: 1 },
}));
const person = {
  idCustom: "c2",
  name: "Li 李",
  idNumber: "2",
  idNumberCountry: null,
  phone: "59899123456",
  email: null,
};
const requested = (data: object = {}): History => {
  const history = new History();
  const personal = { signers: [{ ...person, name: "Ana Paz", phone: "5491122334455" }, person] };
  history.add("DocumentRequested", { data: { signers: placed, campaignId: 7, ...data }, personal });
  return history;
};
const rowsOf = (history: History) => {
  const rows = analytics.rowsOf?.(ofSample(analytics, history));
  if (!rows) throw new Error("no rows");
  return rows;
};
const documentOf = (history: History) => rowsOf(history).documents?.[0];
const signerOf = (history: History) => rowsOf(history).signers?.[0];

describe("documents", () => {
  test("begin as they were asked for", () => {
    expect(documentOf(requested())).toMatchObject({
      documentId: sample.documentId,
      accountId: sample.accountId,
      campaignId: 7,
      channel: "v2",
      state: "requested",
      endedBecause: null,
      requestedAt: "2026-11-21T15:00:01.500Z",
      pages: 2,
      bytes: sample.pdf.size,
      signers: 2,
      signed: 0,
      msToReach: null,
      erased: false,
    });
  });

  test.each([
    [["SignerQueued"], "waiting", null],
    [["SignerQueued", "SignerTurnCame"], "in_progress", null],
    [["SigningPageOpened"], "in_progress", null],
    [["DocumentCompleted"], "completed", "signed"],
    [["DocumentCompleted", "DocumentSealed"], "sealed", "signed"],
    [["Rejected"], "rejected", "rejected"],
    [["PreparationFailed"], "failed", "failed"],
    [["DocumentWithdrawn"], "withdrawn", "canceled"],
  ] as const)("after %j are %s, ended because %s", (types, state, endedBecause) => {
    const history = requested();
    for (const type of types) history.add(type);
    expect(documentOf(history)).toMatchObject({ state, endedBecause });
    expect(documentOf(history)?.endedAt === null).toBe(endedBecause === null);
  });

  test("end with their time, as the list and the document say, whenever that is recorded", () => {
    const history = requested({ expiresAt: "2026-11-21T15:00:02.000Z" });
    history.add("DocumentExpiryChanged", { data: { expiresAt: "2026-11-21T15:00:03.000Z" } });
    const recorded = history.add("DocumentWithdrawn", { data: { reason: "expired" } });
    const end = "2026-11-21T15:00:03.000Z";
    expect(recorded.metadata.at).not.toBe(end);
    expect(documentOf(history)).toMatchObject({ state: "withdrawn", endedBecause: "expired", endedAt: end });
    expect(signerOf(history)).toMatchObject({ withdrawnAt: end });
  });

  test("that are canceled end when they are, whatever their time", () => {
    const history = requested({ expiresAt: "2026-12-21T15:00:02.000Z" });
    const canceled = history.add("DocumentWithdrawn", { data: { reason: "canceled" } });
    expect(documentOf(history)?.endedAt).toBe(canceled.metadata.at);
  });

  test("count their signers, and tell how long steps took", () => {
    const history = requested();
    history.add("MessageDelivered", { data: { signerId: signers[1] ?? "" } });
    history.add("SigningPageOpened");
    history.add("DocumentSigned");
    history.add("DocumentSigned", { data: { signerId: signers[1] ?? "" } });
    history.add("DocumentCompleted");
    expect(documentOf(history)).toMatchObject({
      signed: 2,
      msToReach: 1_000,
      msToOpen: 2_000,
      msToComplete: 5_000,
      firstSignedAt: "2026-11-21T15:00:04.500Z",
    });
  });
});

describe("signers", () => {
  const undeliverable = { data: { nextAttemptAt: null, nextMedium: null } };
  test.each([
    ["queued", []],
    ["asked", [["MessageSent"]]],
    ["reached", [["MessageSent"], ["MessageDelivered"]]],
    ["reached", [["MessageSent"], ["MessageRead"]]],
    ["continued", [["MessageSent"], ["TemplateAnswered"]]],
    ["opened", [["SigningPageOpened"]]],
    ["signed", [["SigningPageOpened"], ["DocumentSigned"]]],
    ["rejected", [["SigningPageOpened"], ["Rejected"]]],
    ["unreachable", [["MessageSent"], ["MessageFailed", undeliverable]]],
    ["asked", [["MessageSent"], ["MessageFailed", undeliverable], ["ResendRequested"]]],
    ["opened", [["MessageFailed", undeliverable], ["SigningPageOpened"]]],
  ] as const)("are %s after %j", (state, happened) => {
    const history = requested();
    for (const [type, given] of happened) history.add(type, given);
    expect(signerOf(history)).toMatchObject({ state });
  });

  test("who are corrected are asked anew, and are where their phone is", () => {
    const history = requested();
    for (const type of ["MessageSent", "MessageDelivered", "TemplateAnswered"] as const) history.add(type);
    expect(signerOf(history)).toMatchObject({ state: "continued", country: "AR" });
    history.add("SignerCorrected", { personal: { before: person, after: person } });
    expect(signerOf(history)).toMatchObject({ state: "queued", country: "UY", askedAt: null, reachedAt: null });
    history.add("MessageSent");
    expect(signerOf(history)).toMatchObject({ state: "asked" });
    history.add("DocumentErased");
    expect(signerOf(history)).toMatchObject({ country: null });
  });

  test("have the medium of the last message taken, and the time from their turn", () => {
    const history = requested();
    history.add("SignerTurnCame");
    history.add("MessageSent");
    history.add("MessageSent", { data: { medium: "sms", withLink: true } });
    history.add("DocumentSigned");
    expect(signerOf(history)).toMatchObject({
      medium: "sms",
      furthest: 5,
      askedAt: "2026-11-21T15:00:03.500Z",
      linkSentAt: "2026-11-21T15:00:04.500Z",
      msToSign: 4_000,
      msToSignFromTurn: 3_000,
    });
  });

  test("are identified while all three photos are approved", () => {
    const history = requested({ validatePhotos: true });
    for (const type of ["SelfieUploaded", "IdFrontUploaded", "IdBackUploaded", "SelfieValidated"] as const)
      history.add(type);
    history.add("IdDocumentValidated");
    expect(signerOf(history)).toMatchObject({ state: "opened", idBackOutcome: "pending" });
    history.add("IdDocumentValidated", { data: { side: "back" } });
    expect(signerOf(history)).toMatchObject({ state: "identified", selfieAttempts: 1, selfieOutcome: "approved" });
    history.add("MrzValidated", { data: { result: "rejected", reason: "mismatch" } });
    expect(signerOf(history)).toMatchObject({ identifiedAt: null, mrzOutcome: "rejected", idFrontOutcome: "rejected" });
  });
});

test("a message that goes on by another medium has a row for each", () => {
  const history = requested();
  history.add("MessageAttempted");
  history.add("MessageFailed", { data: { reason: "unreachable" } });
  history.add("MessageAttempted", { data: { medium: "sms", attempt: 2 } });
  history.add("MessageSent", { data: { medium: "sms", attempt: 2, providerMessageId: "sms.1" } });
  history.add("MessageDelivered", { data: { providerMessageId: "sms.1" } });
  expect(rowsOf(history).messages).toMatchObject([
    { medium: "wpp", outcome: "undeliverable", errorCode: "unreachable", attempts: 1, sentAt: null, deliveredAt: null },
    { medium: "sms", outcome: "delivered", errorCode: null, attempts: 1, sentAt: "2026-11-21T15:00:05.500Z" },
  ]);
});

test("a webhook tells how often it was tried, and how long it took", () => {
  const history = requested();
  const { id } = history.add("DocumentSealed");
  const of = { webhookId: `${id}:webhook:alert` };
  history.add("WebhookAttempted", { data: of });
  history.add("WebhookAttemptFailed", { data: { ...of, durationMs: 80 } });
  history.add("WebhookAttempted", { data: { ...of, attempt: 2 } });
  history.add("WebhookDelivered", { data: { ...of, attempt: 2, durationMs: 9 } });
  expect(rowsOf(history).webhooks).toMatchObject([
    { kind: "alert", outcome: "delivered", attempts: 2, status: 200, msFirstAttempt: 80, msToTake: 4_000 },
  ]);
});

describe("erasure", () => {
  test("takes country and receiver, the same whether the people could still be read or not", () => {
    const live = requested();
    live.add("DocumentSealed");
    const before = rowsOf(live);
    expect(before.signers).toMatchObject([{ country: "AR" }, { country: "UY" }]);
    expect(before.webhooks?.[0]?.receiver).toEqual(expect.any(String));
    live.add("DocumentErased");
    const rebuilt = new History();
    rebuilt.events.push(...live.events.map((event) => ({ ...event, personal: null }) as typeof event));
    expect(rowsOf(live)).toEqual(rowsOf(rebuilt));
    expect(rowsOf(live).signers).toMatchObject([{ country: null }, { country: null }]);
    expect(rowsOf(live).webhooks).toMatchObject([{ receiver: null }]);
  });
});

const types = [...documentEvents, ...deliveryEvents].map(({ type }) => type);
/** Any events in any order: what projections have to take, whatever deciders would. */
const lives = fc.array(fc.record({ type: fc.constantFrom(...types), signer: fc.nat(1) }), { maxLength: 30 });
const lifeOf = (steps: readonly { type: DomainEvent["type"]; signer: number }[]): History => {
  const history = requested();
  let webhookId = "none";
  for (const { type, signer } of steps.filter((step) => step.type !== "DocumentRequested")) {
    const { data } = definitionOf(type).example as { data: object };
    const signerId = signers[signer] ?? "";
    const given = {
      ...("signerId" in data ? { signerId } : {}),
      ...("messageId" in data ? { messageId: `m-${signer}` } : {}),
      ...("providerMessageId" in data ? { providerMessageId: `p-${signer}` } : {}),
      ...("webhookId" in data ? { webhookId } : {}),
    };
    const { id } = history.add(type, { data: given } as never);
    if (type === "DocumentSealed") webhookId = `${id}:webhook:alert`;
  }
  return history;
};

describe("of any life", () => {
  const check = (property: (history: History) => void) =>
    fc.assert(
      fc.property(lives, (steps) => property(lifeOf(steps))),
      { numRuns: 100 },
    );

  test("rows are a recount of the events", () => {
    check((history) => {
      const rows = rowsOf(history);
      const count = (type: string, signer?: number) =>
        history.events.filter(
          (event) =>
            event.type === type &&
            (signer === undefined || (event.data as { signerId?: string }).signerId === signers[signer]),
        ).length;
      expect(rows.log_entries).toHaveLength(ofSample(eventLog, history).entries.length);
      expect(rows.webhooks?.map(({ outcome }) => outcome)).toEqual(
        ofSample(webhooks, history).webhooks.map(({ state }) => state),
      );
      expect(rows.documents?.[0]).toMatchObject({
        signed: signers.filter((_, signer) => count("DocumentSigned", signer) > 0).length,
        erased: count("DocumentErased") > 0,
      });
      for (const [signer, row] of (rows.signers ?? []).entries()) {
        expect(row).toMatchObject({
          selfieAttempts: count("SelfieUploaded", signer),
          mrzAttempts: count("MrzValidated", signer),
          providerFailures: count("IdentityProviderFailed", signer),
        });
        expect(row.openedAt !== null).toBe(count("SigningPageOpened", signer) > 0);
        const attempts = rows.messages?.filter(({ order }) => order === signer).map((one) => Number(one.attempts));
        expect(attempts?.reduce((sum, one) => sum + one, 0)).toBe(count("MessageAttempted", signer));
      }
    });
  });

  test("the record is the same after a restart between any two events, and after a repetition", () => {
    check((history) => {
      let kept: AnalyticsRecord | null = null;
      for (const event of history.events) {
        kept = analytics.project(kept, event, sample.documentId);
        kept = JSON.parse(JSON.stringify(kept)) as AnalyticsRecord | null;
      }
      expect(kept).toEqual(ofSample(analytics, history));
    });
  });

  test("rows have the declared fields in their order, of the declared types, and name nobody", () => {
    check((history) => {
      const rows = rowsOf(history);
      const faults = Object.values(analyticTables).flatMap((table) =>
        (rows[table.name] ?? []).flatMap((row) => faultsOf(table, row)),
      );
      expect(faults).toEqual([]);
      expect(JSON.stringify(rows)).not.toMatch(/Ana|Li 李|549112|59899|Wrong amount|example\.com|Lease|p-\d|9f9f|4f4f/);
    });
  });
});

const faultsOf = ({ name: table, fields }: Table, row: Row): string[] => {
  const names = fields.map(({ name }) => name);
  const isAsDeclared = ({ name, type, values, nullable }: Table["fields"][number]): boolean => {
    const value = row[name] ?? null;
    if (value === null) return nullable;
    if (values && !values.includes(String(value))) return false;
    return type === "int" ? Number.isSafeInteger(value) : typeof value === (type === "flag" ? "boolean" : "string");
  };
  const inOrder = Object.keys(row).join() === names.join() ? [] : [`${table}: ${Object.keys(row)}`];
  return [
    ...inOrder,
    ...fields.filter((field) => !isAsDeclared(field)).map(({ name }) => `${table}.${name}: ${row[name]}`),
  ];
};
