import { sample } from "@rubrica/events";
import { expect, test } from "vitest";
import { otherAccountName, type RequestTexts, requesterShown } from "../../src/index.ts";

const shownAs = (accountName: string | null, businessName: string) => ({
  requester: accountName === null ? null : { accountName, keyId: sample.keyId, keyName: null },
  texts: {
    requestIp: null,
    documentName: "Lease",
    businessName,
    messageText: null,
    customParameters: null,
    webhook: null,
    variables: null,
  } satisfies RequestTexts,
});

test("a name that is not the account's own has the account's beside it", () => {
  const document = shownAs("ACME S.A.", "Banco de la Nación Argentina");
  expect(otherAccountName(document)).toBe("ACME S.A.");
  expect(requesterShown(document)).toBe("Banco de la Nación Argentina (ACME S.A.)");
});

test("the account's own name stands alone, however its accents are written", () => {
  const document = shownAs("Señas", "Señas ");
  expect(otherAccountName(document)).toBeNull();
  expect(requesterShown(document)).toBe("Señas ");
});

test("a request from before its account was recorded is shown as it was", () => {
  expect(requesterShown(shownAs(null, "ACME Homes"))).toBe("ACME Homes");
});

test("a long account's name is cut", () => {
  expect(requesterShown(shownAs("A".repeat(200), "ACME"))).toBe(`ACME (${"A".repeat(60)}…)`);
});
