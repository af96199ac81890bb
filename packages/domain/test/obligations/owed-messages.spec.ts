import type { WebhookType } from "@rubrica/events";
import {
  ana,
  answered,
  attempted,
  ben,
  completed,
  delivered,
  event,
  failed,
  refused,
  rejected,
  requested,
  seal,
  sealed,
  sent,
  signed,
  template,
  turnCame,
} from "@rubrica/test-kit/document-history";
import { describe, expect, test } from "vitest";
import {
  lineReleased,
  lineTaken,
  minute,
  openAfter,
  recordAfter,
  webhookAbandoned,
  webhookAskedFor,
  webhookAttempted,
  webhookDelivered,
  webhookFailed,
} from "./fixtures.ts";

const turn = [requested([ana, ben]), turnCame(ana)];
const templateId = `e2:send-template:${ana}`;
const message = { ...template(ana), messageId: templateId };
const asked = [...turn, attempted(message), sent(message, "p1")];

describe("the template is owed", () => {
  test("when the turn came, at once", () =>
    expect(recordAfter(...turn).open).toMatchObject([
      { id: templateId, kind: "send-template", signerId: ana, dueAt: minute(2), attempts: 0 },
    ]));
  test("until the provider took it", () => {
    expect(recordAfter(...turn, attempted(message, 2)).open).toMatchObject([{ id: templateId, attempts: 2 }]);
    expect(openAfter(...asked)).toEqual([]);
  });
  test("later, when an attempt failed", () =>
    expect(recordAfter(...turn, attempted(message), failed(message, 1, minute(30)))).toMatchObject({
      open: [{ id: templateId, dueAt: minute(30), since: minute(4), attempts: 1, reason: "unreachable" }],
    }));
  test("no more, when it was given up", () =>
    expect(openAfter(...turn, attempted(message), failed(message, 1, null))).toEqual([]));
  test("again, as the same message, when it failed after the provider took it", () => {
    const again = [...asked, failed(message, 1, minute(30))];
    expect(recordAfter(...again).open).toMatchObject([{ id: templateId, dueAt: minute(30), attempts: 1 }]);
    expect(openAfter(...again, attempted(message, 2), sent(message, "p2", 2))).toEqual([]);
    expect(openAfter(...again, delivered(message, "p1"))).toEqual([]);
  });
  test("no more, when the signer signed or the document ended", () => {
    expect(openAfter(...turn, signed(ana))).toEqual([`e3:claim-turn:${ben}`]);
    expect(openAfter(...turn, rejected(ben))).toEqual(["e3:report"]);
    expect(openAfter(...asked, signed(ana), failed(message, 1, minute(30)))).toEqual([`e5:claim-turn:${ben}`]);
  });
  test("never, when the document sends no messages", () =>
    expect(openAfter(requested([ana], { sendMessages: false }), turnCame(ana))).toEqual([]));
});

describe("the link is owed", () => {
  const linkId = `e5:send-link:${ana}`;
  const link = { signerId: ana, kind: "link" as const, messageId: linkId };
  const invited = [...asked, answered(ana, "p1")];

  test("when the signer chose to continue, until the provider took it", () => {
    expect(recordAfter(...invited).open).toMatchObject([{ id: linkId, kind: "send-link", signerId: ana }]);
    expect(openAfter(...invited, attempted(link), sent(link, "p2"))).toEqual([]);
  });
  test("later, when an attempt failed, and no more when it was given up", () => {
    expect(recordAfter(...invited, attempted(link), failed(link, 1, minute(30))).open).toMatchObject([
      { id: linkId, dueAt: minute(30) },
    ]);
    expect(openAfter(...invited, attempted(link), failed(link, 1, null))).toEqual([]);
  });
  test("no more, when the signer signed or the document ended", () => {
    expect(openAfter(...invited, signed(ana))).toEqual([`e6:claim-turn:${ben}`]);
    expect(openAfter(...invited, rejected(ben))).toEqual(["e6:report"]);
  });
  test("not, when a late answer comes after the signature", () =>
    expect(openAfter(...asked, signed(ana), answered(ana, "p1"))).toEqual([`e5:claim-turn:${ben}`]));
});

const finished = [requested([ana]), signed(ana), completed];
const report = event("ReportGenerated", { sizeBytes: 90_000 });

describe("the seal is owed", () => {
  test("from the completion on, until it is there; then the report", () => {
    expect(openAfter(...finished)).toEqual(["e3:seal"]);
    expect(openAfter(...finished, sealed)).toEqual(["e4:report"]);
    expect(openAfter(...finished, sealed, report)).toEqual([]);
  });
  test("later, when sealing failed", () => {
    const failure = event("SealingFailed", { attempt: 3, reason: "timestamp_unavailable", nextAttemptAt: minute(30) });
    expect(recordAfter(...finished, failure)).toMatchObject({
      open: [{ id: "e3:seal", dueAt: minute(30), attempts: 3 }],
    });
  });
});

describe("a webhook is owed", () => {
  const hooked = (channel: "v2" | "legacy" | "bulk" = "v2") => requested([ana, ben], { hasWebhook: true, channel });
  const webhooks = (...history: Parameters<typeof recordAfter>) =>
    recordAfter(...history).open.filter(({ kind }) => kind === "webhook");
  const done = [hooked(), signed(ana), signed(ben), completed, sealed];

  test("as alert, once the document is sealed", () => {
    expect(webhooks(...done.slice(0, -1))).toEqual([]);
    expect(webhooks(...done)).toMatchObject([{ id: "e5:webhook:alert", webhookType: "alert", dueAt: minute(5) }]);
  });
  test("as report, once the report could be built, and the alert is over", () => {
    expect(webhooks(...done, report).map(({ id }) => id)).toEqual(["e5:webhook:alert"]);
    expect(webhooks(...done, report, webhookDelivered("e5:webhook:alert", "alert"))).toMatchObject([
      { id: "e6:webhook:report", dueAt: minute(7), since: minute(7) },
    ]);
  });
  test("as msg, for each signer who can't be reached", () => {
    const history = [hooked(), turnCame(ana), attempted(message), failed(message, 1, null)];
    expect(webhooks(...history)).toMatchObject([{ id: "e4:webhook:msg", webhookType: "msg", signerId: ana }]);
    const other = { ...template(ben), messageId: "t" };
    const both = [...history, attempted(other), failed(other, 1, null)];
    expect(webhooks(...both).map(({ id }) => id)).toEqual(["e4:webhook:msg"]);
    expect(webhooks(...both, webhookAbandoned("e4:webhook:msg", "msg"))).toMatchObject([
      { id: "e6:webhook:msg", signerId: ben, dueAt: minute(7) },
    ]);
    expect(webhooks(hooked(), turnCame(ana), attempted(message), failed(message, 1, minute(9)))).toEqual([]);
  });
  test("as rejection, of v2 documents only", () => {
    expect(webhooks(hooked(), rejected(ben))).toMatchObject([
      { id: "e2:webhook:rejection", webhookType: "rejection", signerId: ben },
    ]);
    expect(webhooks(hooked("legacy"), rejected(ben))).toEqual([]);
    expect(webhooks(hooked("bulk"), rejected(ben))).toEqual([]);
  });
  describe.each(["v2", "legacy", "bulk"] as const)("of a kind that the account chose, in %s", (channel) => {
    const choosing = (...webhookEvents: WebhookType[]) =>
      requested([ana, ben], { hasWebhook: true, channel, webhookEvents });
    const withdrawn = (reason: "canceled" | "expired" | "erasure") =>
      event("DocumentWithdrawn", { reason, bulkId: null, by: null });
    test.each([
      ["canceled", withdrawn("canceled"), null],
      ["expired", withdrawn("expired"), null],
      ["no_continue", refused(ana, "p1"), ana],
      ["signer_signed", signed(ana), ana],
      ["page_opened", event("SigningPageOpened", { signerId: ana }), ana],
    ] as const)("%s", (webhookType, told, signerId) => {
      expect(webhooks(choosing(webhookType), told)).toMatchObject([
        { id: `e2:webhook:${webhookType}`, webhookType, signerId },
      ]);
      expect(webhooks(choosing("alert", "msg"), told)).toEqual([]);
      expect(webhooks(hooked(channel), told)).toEqual([]);
    });
    test("nothing where nothing follows from a refusal: it came too late", () =>
      expect(webhooks(choosing("no_continue"), refused(ana, "p1", false))).toEqual([]));
    test("and the report's of a document that was canceled, as of one that was rejected", () =>
      expect(webhooks(hooked(channel), withdrawn("canceled"), report)).toMatchObject([{ webhookType: "report" }]));
    test("nothing where it is taken back by erasure", () =>
      expect(webhooks(choosing("canceled", "expired"), withdrawn("erasure"))).toEqual([]));
    test("and the contract's not, where they were left out", () =>
      expect(webhooks(choosing("report"), signed(ana), signed(ben), completed, sealed)).toEqual([]));
  });
  test("to nobody who gave no address", () =>
    expect(webhooks(requested(), signed(ana), completed, sealed, report)).toEqual([]));
  test("until it was delivered or abandoned, which closes no other", () => {
    const both = [...done, report];
    expect(webhooks(...both, webhookDelivered("e5:webhook:alert", "alert")).map(({ id }) => id)).toEqual([
      "e6:webhook:report",
    ]);
    expect(webhooks(...both, webhookAbandoned("e6:webhook:report", "report")).map(({ id }) => id)).toEqual([
      "e5:webhook:alert",
    ]);
  });
  test("again, when it is asked for, before younger ones that are not over", () => {
    const both = [...done, report, webhookDelivered("e5:webhook:alert", "alert")];
    const again = webhookAskedFor("e5:webhook:alert", "alert", 1);
    expect(webhooks(...both, again)).toMatchObject([
      { id: "e5:webhook:alert", attempts: 0, dueAt: minute(8), reason: null },
    ]);
    expect(webhooks(...both, again, webhookDelivered("e5:webhook:alert", "alert"))).toMatchObject([
      { id: "e6:webhook:report", dueAt: minute(9) },
    ]);
  });
  test("with how long the receiver took over the last attempt that ended", () => {
    const tookAfter = (...events: Parameters<typeof recordAfter>) =>
      recordAfter(...done, ...events)?.webhooks.map(({ tookMs }) => tookMs);
    expect(tookAfter(webhookAttempted("e5:webhook:alert", "alert", 1))).toEqual([null]);
    expect(tookAfter(webhookFailed("e5:webhook:alert", "alert", 1, minute(30)))).toEqual([80]);
    expect(tookAfter(report, webhookDelivered("e5:webhook:alert", "alert"))).toEqual([80, null]);
  });
  test("later, when an attempt failed", () => {
    const trying = webhookAttempted("e5:webhook:alert", "alert", 2);
    expect(webhooks(...done, trying)).toMatchObject([{ attempts: 2, dueAt: minute(5) }]);
    expect(webhooks(...done, report, webhookFailed("e5:webhook:alert", "alert", 2, minute(30)))).toMatchObject([
      { id: "e5:webhook:alert", attempts: 2, dueAt: minute(30) },
    ]);
  });
  test("at a receiver that is named by its host, per account, without telling it; by nothing once erased", () => {
    const to = (url: string) => {
      const { personal, ...request } = requested([ana], { hasWebhook: true });
      const webhook = { url, headers: {} };
      return recordAfter({ ...request, personal: personal && { ...personal, webhook } }, rejected(ana));
    };
    const receivers = ["https://a.example/x", "https://a.example/y?z", "https://b.example/x"].map(
      (url) => to(url).open.find(({ kind }) => kind === "webhook")?.receiver,
    );
    expect(receivers[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(receivers[1]).toBe(receivers[0]);
    expect(receivers[2]).not.toBe(receivers[0]);
    const erasure = { cause: "requested" as const, requestedAt: minute(1), customIds: [] };
    const erased = [requested([ana], { hasWebhook: true }), rejected(ana), event("DocumentErased", erasure)];
    expect(recordAfter(...erased)).toMatchObject({ receiver: null, webhooks: [{ obligation: { receiver: null } }] });
  });
  test("whatever else happens to the document meanwhile", () =>
    expect(
      openAfter(
        hooked(),
        lineTaken(ana),
        turnCame(ana),
        attempted(message),
        failed(message, 1, null),
        lineReleased(ana),
      ),
    ).toEqual(["e5:webhook:msg"]));
});

test("a sealed document keeps its seal in no record", () =>
  expect(JSON.stringify(recordAfter(...finished, sealed))).not.toContain(seal.file.sha256));
