import { createHmac } from "node:crypto";
import { type Backoff, backoffMs, type Clock } from "@rubrica/runtime";

const BACKOFF: Backoff = { firstMs: 50, longestMs: 1_000 };

/** Tells a service what happens, as Meta does: signed, one call after the other, again until it answers 200. */
export interface WebhookSender {
  /** Asks the address whether it is the service's. @throws {Error} when it does not answer the challenge. */
  subscribe(url: string, verifyToken: string): Promise<void>;
  tell(body: object): void;
  /** From now on nothing is told, until it is let go. */
  hold(): void;
  letGo(): void;
  /** All that was told and answered with 200, as JSON. */
  told: readonly string[];
  close(): Promise<void>;
}

/** Asks an address to give a challenge back, as Meta does before it tells it anything. @throws {Error} when it does not. */
const challenge = async (address: string, verifyToken: string): Promise<void> => {
  const asked = new URL(address);
  const query = { "hub.mode": "subscribe", "hub.verify_token": verifyToken, "hub.challenge": "1158201444" };
  for (const [name, value] of Object.entries(query)) asked.searchParams.set(name, value);
  const answer = await fetch(asked);
  const text = await answer.text();
  if (answer.status !== 200 || text !== "1158201444") throw new Error(`the challenge was answered ${answer.status}`);
};

export const createWebhookSender = (clock: Clock, appSecret: string): WebhookSender => {
  const waiting: string[] = [];
  const told: string[] = [];
  const closing = new AbortController();
  let url: string | undefined;
  let held = false;
  let running: Promise<void> | undefined;

  const post = async (text: string): Promise<boolean> => {
    const signature = createHmac("sha256", appSecret).update(text).digest("hex");
    const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${signature}` };
    try {
      const answer = await fetch(url ?? "", { method: "POST", headers, body: text, signal: closing.signal });
      await answer.arrayBuffer();
      return answer.status === 200;
    } catch {
      return false;
    }
  };
  const run = async (): Promise<void> => {
    let failures = 0;
    for (let next = waiting[0]; next !== undefined && !held && !closing.signal.aborted; next = waiting[0]) {
      if (await post(next)) {
        waiting.shift();
        told.push(next);
        failures = 0;
      } else {
        failures += 1;
        await clock.wait(backoffMs(failures, BACKOFF), { signal: closing.signal, background: true });
      }
    }
  };
  const goOn = (): void => {
    if (url === undefined || running) return;
    running = run().finally(() => {
      running = undefined;
      if (waiting.length > 0 && !held && !closing.signal.aborted) goOn();
    });
  };
  return {
    told,
    async subscribe(address, verifyToken) {
      await challenge(address, verifyToken);
      url = address;
      goOn();
    },
    tell(body) {
      waiting.push(JSON.stringify(body));
      goOn();
    },
    hold() {
      held = true;
    },
    letGo() {
      held = false;
      goOn();
    },
    async close() {
      closing.abort();
      await running;
    },
  };
};
