import { expect, test } from "vitest";
import { signatureHeaders } from "../../src/webhooks/signature.ts";

// The example of the specification of Standard Webhooks.
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
const told = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: '{"test": 2432232314}', now: 1_614_265_330_999 };

test("a webhook is signed as the specification's example", () => {
  expect(signatureHeaders([SECRET], told)).toEqual({
    "webhook-id": told.id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": SIGNATURE,
  });
});

test("while a secret is replaced, it is signed by both", () => {
  const another = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
  const [first, second, ...more] = (signatureHeaders([another, SECRET], told)["webhook-signature"] ?? "").split(" ");
  expect(first).toMatch(/^v1,/);
  expect(first).not.toBe(SIGNATURE);
  expect([second, ...more]).toEqual([SIGNATURE]);
});

test("without a secret nothing is signed", () => {
  expect(signatureHeaders([], told)).not.toHaveProperty("webhook-signature");
});
