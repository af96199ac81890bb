import { ManualClock } from "@rubrica/runtime/testing";
import { expectReadUpTo } from "@rubrica/test-kit/web-servers";
import { expect, test } from "vitest";
import { noticesTo } from "../../src/phone/service.ts";

test("an answer that never ends is read up to 16,384 bytes", async () => {
  const clock = new ManualClock();
  await expectReadUpTo(16_384, (port) => {
    const tell = noticesTo({ url: `http://127.0.0.1:${port}`, key: "key", clock }, new AbortController().signal);
    return tell({ kind: "read", providerMessageId: "1", messageId: "2", at: clock.now() });
  });
  expect(clock.monotonicMs()).toBe(0);
});
