import { expect, test } from "vitest";
import type { RetryPolicy } from "../../src/backoff.ts";
import { documentKinds } from "../../src/obligations/document-kinds.ts";
import { signerKinds } from "../../src/obligations/signer-kinds.ts";

const FOREVER = Number.POSITIVE_INFINITY;
const [MINUTE, HOUR] = [60, 3_600];

/** As the README tells them, in seconds. The tests of deciders take the pauses from the kinds. */
test.each<[string, RetryPolicy, number[], number]>([
  ["send-template", signerKinds["send-template"].retries, [10, 60, 300, 30 * MINUTE, 2 * HOUR, 6 * HOUR], 7],
  ["send-link", signerKinds["send-link"].retries, [10, 60, 300, 30 * MINUTE, 2 * HOUR, 6 * HOUR], 7],
  ["check-identity", signerKinds["check-identity"].retries, [5, 15, 30, 60, 120, 300, 600], FOREVER],
  ["seal", documentKinds.seal.retries, [5, 30, 120, 600, 30 * MINUTE, HOUR], FOREVER],
  ["fetch-evidence", documentKinds["fetch-evidence"].retries, [5, 30, 120, 600, 30 * MINUTE, HOUR], FOREVER],
  ["complete-seal", documentKinds["complete-seal"].retries, [600, HOUR, 6 * HOUR, 24 * HOUR], 60],
  ["renew-timestamp", documentKinds["renew-timestamp"].retries, [600, HOUR, 6 * HOUR, 24 * HOUR], FOREVER],
])("%s is tried again after these pauses", (_kind, { delaysMs, maxAttempts }, seconds, attempts) => {
  expect(delaysMs).toEqual(seconds.map((each) => each * 1_000));
  expect(maxAttempts).toBe(attempts);
});
