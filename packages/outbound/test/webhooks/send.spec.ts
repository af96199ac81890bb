import { ManualClock } from "@rubrica/runtime/testing";
import { expectReadUpTo } from "@rubrica/test-kit/web-servers";
import { expect, test } from "vitest";
import { createOutbound } from "../../src/index.ts";
import { sendWebhook } from "../../src/webhooks/index.ts";

test("an answer that never ends is read up to 4,096 bytes, and its status is taken", async () => {
  const clock = new ManualClock();
  const outbound = createOutbound({ clock, allowPrivate: true });
  const outcome = await expectReadUpTo(4_096, (port) =>
    sendWebhook(
      { outbound, clock },
      { id: "1", secrets: [], head: null, url: `http://127.0.0.1:${port}/`, headers: {}, body: "{}" },
    ),
  );
  expect(outcome).toEqual({ taken: true, status: 200, durationMs: 0 });
});
