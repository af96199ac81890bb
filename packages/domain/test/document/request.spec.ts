import { sample } from "@rubrica/events";
import {
  ana,
  ben,
  given,
  person,
  preparationFailed,
  prepared,
  requestCommand,
  requested,
  requestedInBulk,
} from "@rubrica/test-kit/document-history";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  authenticationOf,
  documentFold,
  failPreparation,
  foldOf,
  prepareDocument,
  requestDocument,
  signingOrder,
} from "../../src/index.ts";

const eventOf = (other: Parameters<typeof requestCommand>[0] = {}) => {
  const [event] = requestDocument(documentFold.initial, requestCommand(other));
  if (event?.type !== "DocumentRequested" || !event.personal) throw new Error("nothing was requested");
  return { data: event.data, personal: event.personal };
};

describe("a request", () => {
  test("is recorded with each signer, in the order of the input", () =>
    given()
      .when(requestDocument, requestCommand())
      .then({
        ...requested([ana, ben]),
        personal: {
          requestIp: null,
          documentName: "Rubrica firma document",
          businessName: "Rubrica",
          messageText: null,
          customParameters: null,
          webhook: null,
          variables: null,
          signers: [person(ana), person(ben)],
        },
      }));

  test("is recorded once", () => given(requested()).when(requestDocument, requestCommand()).then());

  test("keeps what the caller and the row bring along", () => {
    const webhook = { url: "https://example.com/hook", headers: { "x-key": "1" } };
    const { data, personal } = eventOf({ webhook, customParameters: { order: 7 }, variables: { city: "Salto" } });
    expect(data.hasWebhook).toBe(true);
    expect(personal).toMatchObject({ webhook, customParameters: { order: 7 }, variables: { city: "Salto" } });
  });

  test("that sends no messages puts nobody on a line", () => {
    const { data } = eventOf({ sendMessages: false });
    expect(data.signers.map(({ lineId }) => lineId)).toEqual([null, null]);
  });

  test("orders its signers by their positions", () => {
    const [first, second] = requestCommand().signers;
    if (!first || !second) throw new Error("two signers are needed");
    const { data } = eventOf({
      signers: [
        { ...first, position: "10" },
        { ...second, position: "2" },
      ],
    });
    expect(data.signers.map(({ signerId, order }) => [signerId, order])).toEqual([
      [ana, 1],
      [ben, 0],
    ]);
  });
});

describe("names", () => {
  test("the request's business name wins over the account's, which wins over the service's", () => {
    const account = { accountId: sample.accountId, plan: "pro" as const, businessName: "ACME Homes" };
    expect(eventOf({ account, businessName: "ACME Rentals" }).personal.businessName).toBe("ACME Rentals");
    expect(eventOf({ account }).personal.businessName).toBe("ACME Homes");
    expect(eventOf().personal.businessName).toBe("Rubrica");
  });

  test("the document's name is the caller's, else the placeholder", () => {
    expect(eventOf({ documentName: "Lease" }).personal.documentName).toBe("Lease");
    expect(eventOf().personal.documentName).toBe("Rubrica firma document");
  });
});

describe("what webhooks tell", () => {
  const account = { accountId: sample.accountId, plan: "pro" as const, businessName: null };
  const webhook = { url: "https://example.com", headers: {} };
  test("is frozen as the account chose it, where there is somebody to tell", () => {
    const choosing = { ...account, webhookEvents: ["alert", "canceled"] as const };
    expect(eventOf({ account: choosing, webhook }).data.webhookEvents).toEqual(["alert", "canceled"]);
    expect(eventOf({ account: choosing, webhook: null }).data.webhookEvents).toBeNull();
  });
  test("is nothing of its own where the account chose nothing", () => {
    expect(eventOf({ account: { ...account, webhookEvents: null }, webhook }).data.webhookEvents).toBeNull();
    expect(eventOf({ account, webhook }).data.webhookEvents).toBeNull();
  });
});

describe("photos and authentication", () => {
  test.each([
    [false, true, "pro", "link"],
    [false, false, "basic", "link"],
    [true, true, "pro", "biometric"],
    [true, false, "pro", "photos"],
    [true, true, "basic", "photos"],
    [true, false, "basic", "photos"],
  ] as const)("photos %s, validated %s, plan %s: %s", (requestPhotos, validatePhotos, plan, authentication) => {
    expect(authenticationOf(requestPhotos, validatePhotos, plan)).toBe(authentication);
    const account = { accountId: sample.accountId, plan, businessName: null };
    expect(eventOf({ account, requestPhotos, validatePhotos }).data).toMatchObject({
      authentication,
      requestPhotos,
      validatePhotos: authentication === "biometric",
    });
  });

  test("by default none are requested; when requested they are validated", () => {
    expect(eventOf().data).toMatchObject({ requestPhotos: false, authentication: "link" });
    expect(eventOf({ requestPhotos: true }).data).toMatchObject({ validatePhotos: true, authentication: "biometric" });
  });
});

describe("a campaign", () => {
  const campaign = {
    campaignId: 3,
    messageText: "Please sign",
    requestPhotos: true,
    validatePhotos: false,
    retentionDays: 90,
    refusalHours: null,
    silenceHours: null,
    reminders: null,
  };

  test("wins over the defaults", () => {
    const { data, personal } = eventOf({ campaign });
    expect(data).toMatchObject({ campaignId: 3, requestPhotos: true, authentication: "photos" });
    expect(personal.messageText).toBe("Please sign");
  });

  test("yields to the request's own fields, false among them", () => {
    expect(eventOf({ campaign, requestPhotos: false }).data).toMatchObject({ requestPhotos: false });
    expect(eventOf({ campaign, validatePhotos: true }).data).toMatchObject({ authentication: "biometric" });
  });

  test("leaves to the defaults what it does not set", () => {
    const open = {
      campaignId: 4,
      messageText: null,
      requestPhotos: null,
      validatePhotos: null,
      retentionDays: null,
      refusalHours: null,
      silenceHours: null,
      reminders: null,
    };
    expect(eventOf({ campaign: open }).data).toMatchObject({ campaignId: 4, requestPhotos: false });
    expect(eventOf({ campaign: open }).personal.messageText).toBeNull();
  });
});

describe("the signing order", () => {
  test.each([
    [[], []],
    [
      [undefined, undefined],
      [0, 1],
    ],
    [
      ["2", "1"],
      [1, 0],
    ],
    [
      ["10", "9", "2"],
      [2, 1, 0],
    ],
    [
      ["02", "1", "2.5", "-1"],
      [2, 1, 3, 0],
    ],
    [
      [undefined, "3", null, "1"],
      [2, 1, 3, 0],
    ],
    [
      ["", "5", "  "],
      [1, 0, 2],
    ],
    [
      ["1", "1", "0"],
      [1, 2, 0],
    ],
    [
      ["b", "2", "a", undefined],
      [2, 0, 1, 3],
    ],
    [
      [" 7 ", "6"],
      [1, 0],
    ],
  ])("%j is %j", (positions, order) => {
    expect(signingOrder(positions).map((place) => place.order)).toEqual(order);
  });

  test.each([
    [
      ["1", "1", "2"],
      [0, 0, 1],
    ],
    [
      ["2", "1", "2.0", "01"],
      [1, 0, 1, 0],
    ],
    [
      [undefined, "3", null, "3", " "],
      [1, 0, 2, 0, 3],
    ],
    [
      ["b", "a", "b", "B"],
      [2, 1, 2, 0],
    ],
  ])("%j are the groups %j: of the same position as it is compared, given ones alone", (positions, groups) => {
    expect(signingOrder(positions).map(({ group }) => group)).toEqual(groups);
  });

  test("gives each signer a place of their own, and keeps the input's order when all are missing or equal", () => {
    const position = fc.option(fc.oneof(fc.integer().map(String), fc.string(), fc.constant("9".repeat(400))));
    fc.assert(
      fc.property(fc.array(position, { maxLength: 50 }), (positions) => {
        const orders = signingOrder(positions).map(({ order }) => order);
        expect(orders.toSorted((a, b) => a - b)).toEqual(positions.map((_, index) => index));
        expect(signingOrder(positions.map(() => "7"))).toEqual(positions.map((_, order) => ({ order, group: 0 })));
        expect(signingOrder(positions.map(() => null))).toEqual(positions.map((_, order) => ({ order, group: order })));
      }),
    );
  });
});

describe("preparing a bulk row", () => {
  const pdf = { file: sample.pdf, pageCount: 2 };

  test("makes the document one that can be signed, once", () => {
    given(requestedInBulk()).when(prepareDocument, pdf).then(prepared);
    given(requestedInBulk(), prepared).when(prepareDocument, pdf).then();
  });

  test("that fails for good ends the document, once", () => {
    const failure = { reason: "timed_out", attempts: 3 };
    given(requestedInBulk()).when(failPreparation, failure).then(preparationFailed);
    given(requestedInBulk(), preparationFailed).when(failPreparation, failure).then();
  });

  test("does not follow its own failure, nor the failure its success", () => {
    given(requestedInBulk(), preparationFailed).when(prepareDocument, pdf).then();
    given(requestedInBulk(), prepared).when(failPreparation, { reason: "timed_out", attempts: 3 }).then();
  });

  test("is nothing for a document that came as a PDF", () => given(requested()).when(prepareDocument, pdf).then());
  test("needs a document", () => given().when(prepareDocument, pdf).fails("unknown_document"));
});

test("a request whose personal part was forgotten still folds", () => {
  const document = foldOf(documentFold, [{ ...requested([ana, ben]), personal: null }]);
  expect(document).toMatchObject({ status: "pending", texts: null, signers: [{ person: null }, { person: null }] });
});
