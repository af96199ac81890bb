import { EventEmitter, once } from "node:events";
import { systemClock } from "@rubrica/runtime";
import type { RubricaClient, SimulatedMessage } from "../client.ts";
import { eventually } from "../polling.ts";
import { samplePdf, sampleSigner } from "../samples.ts";
import { loopbackServer } from "../web-servers.ts";

/** In their order. */
const STEPS = ["accepted", "asked", "link", "signed", "told", "read"] as const;

/** How long each step of a life took, in milliseconds. */
export type LifeSteps = Record<(typeof STEPS)[number], number>;

/** An integrator and signers, whose documents go all their way, one at a time. */
export interface WholeLives extends AsyncDisposable {
  /**
   * A document is requested, its signer asked, given the link and signs; its callbacks come, and sealed PDF and report are
   * read. Nothing that engines are asked for is polled: only the simulated phone, and callbacks are waited for.
   * @param beforeReading awaited before the last step, in which the service itself would wait for what is behind.
   */
  live(beforeReading?: () => Promise<unknown>): Promise<LifeSteps>;
}

/** @param firstSigner whose phone no other test uses, nor those after it. The service must be allowed private addresses. */
export const wholeLives = async (client: RubricaClient, firstSigner: number): Promise<WholeLives> => {
  const callbacks = new EventEmitter();
  const receiver = await loopbackServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.end();
    callbacks.emit(JSON.parse(Buffer.concat(chunks).toString("utf8")).data.id_seguimiento);
  });
  let signers = firstSigner;
  const messageTo = (phone: string, wanted: (message: SimulatedMessage) => boolean): Promise<SimulatedMessage> =>
    eventually("a message", async () => (await client.messagesTo(phone)).find(wanted));
  const read = async (path: string): Promise<void> => {
    const { status } = await client.read(path);
    if (status !== 200) throw new Error(`${path} answered ${status}`);
  };
  return {
    async live(beforeReading) {
      const signer = sampleSigner(++signers);
      const steps: Partial<LifeSteps> = {};
      let sinceMs = systemClock.monotonicMs();
      const ended = (step: keyof LifeSteps): void => {
        steps[step] = systemClock.monotonicMs() - sinceMs;
        sinceMs = systemClock.monotonicMs();
      };
      const { id_seguimiento: id, urls } = await client.requestDocument(await samplePdf(), [signer], {
        webhook_url: receiver.url,
      });
      ended("accepted");
      const template = await messageTo(signer.phone, ({ buttons }) => buttons.length > 0);
      ended("asked");
      await client.press(template.id, "continue");
      await messageTo(signer.phone, ({ link }) => link !== null);
      ended("link");
      // That it was signed by all, and that its report can be had.
      const told = once(callbacks, id).then(() => once(callbacks, id));
      await client.sign(urls[0]?.link ?? "");
      ended("signed");
      await told;
      ended("told");
      await beforeReading?.();
      sinceMs = systemClock.monotonicMs();
      await read(`/api/v2/documents/${id}`);
      await read(`/api/v2/reporte/${id}`);
      ended("read");
      return steps as LifeSteps;
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
};
