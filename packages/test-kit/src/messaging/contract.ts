import type { Notice } from "@rubrica/events";
import { MessagingError, type MessagingProvider } from "@rubrica/messaging";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

/** An engine under test, with the far side's phone in hand. */
export interface ProviderHarness {
  provider: MessagingProvider;
  /** Resolves with the first notice that fits, given already or still to come. */
  notice(fits: (notice: Notice) => boolean): Promise<Notice>;
  /** The signer presses a quick reply. */
  press(providerMessageId: string, answer: "continue" | "no_continue"): Promise<void>;
  /** From now on nothing sent to the phone arrives. */
  makeUnreachable(phone: string): Promise<void>;
  close(): Promise<void>;
}

export const template = {
  messageId: "obligation-1",
  to: "5491123456789",
  signerName: "María José Fernández",
  businessName: "Inmobiliaria del Sur",
  documentName: "Contrato de alquiler",
  text: null,
  until: null,
  link: "https://firma.example/s/AQGZq2hvbGE",
};

export const link = {
  messageId: "obligation-2",
  to: template.to,
  signerName: template.signerName,
  documentName: template.documentName,
  until: null,
  link: "https://firma.example/s/AQGZq2hvbGE",
  answeredAt: null,
  lastFailure: null,
};

export const note = {
  kind: "cancellation" as const,
  messageId: "obligation-4",
  to: template.to,
  signerName: template.signerName,
  businessName: template.businessName,
  documentName: template.documentName,
  answeredAt: null,
  lastFailure: null,
};

const never = new AbortController().signal;

/** What every messaging provider promises. */
export const messagingContract = (engine: string, open: () => Promise<ProviderHarness>): void => {
  describe(`messaging provider: ${engine}`, () => {
    let harness: ProviderHarness;
    beforeEach(async () => {
      harness = await open();
    });
    afterEach(() => harness.close());

    const about = (kind: Notice["kind"], id: string) => (notice: Notice) =>
      notice.kind === kind && notice.providerMessageId === id;

    test("its medium is the one that the API names", () => {
      expect(harness.provider.medium).toBe("wpp");
    });

    test("a template that is taken has an id, and is reported delivered under it", async () => {
      const { providerMessageId } = await harness.provider.sendTemplate(template, never);
      expect(providerMessageId).not.toBe("");
      await harness.notice(about("delivered", providerMessageId));
    });

    test("a link is reported delivered under its own id", async () => {
      const first = await harness.provider.sendTemplate(template, never);
      const second = await harness.provider.sendLink(link, never);
      expect(second.providerMessageId).not.toBe(first.providerMessageId);
      await harness.notice(about("delivered", second.providerMessageId));
    });

    test("so is the message with the signed copy", async () => {
      const { providerMessageId } = await harness.provider.sendTemplate(template, never);
      await harness.press(providerMessageId, "continue");
      const { at } = await harness.notice(about("answered", providerMessageId));
      const sent = await harness.provider.sendCopy({ ...link, messageId: "obligation-3", answeredAt: at }, never);
      await harness.notice(about("delivered", sent.providerMessageId));
    });

    test("so is the message that says that the document was canceled", async () => {
      const { providerMessageId } = await harness.provider.sendTemplate(template, never);
      await harness.press(providerMessageId, "continue");
      const { at } = await harness.notice(about("answered", providerMessageId));
      const sent = await harness.provider.sendNote({ ...note, answeredAt: at }, never);
      await harness.notice(about("delivered", sent.providerMessageId));
    });

    test("the same message sent twice is two messages", async () => {
      const first = await harness.provider.sendTemplate(template, never);
      const second = await harness.provider.sendTemplate(template, never);
      expect(second.providerMessageId).not.toBe(first.providerMessageId);
      await harness.notice(about("delivered", first.providerMessageId));
      await harness.notice(about("delivered", second.providerMessageId));
    });

    test.each(["continue", "no_continue"] as const)(
      "the answer %s comes back with the message's id",
      async (answer) => {
        const { providerMessageId } = await harness.provider.sendTemplate(template, never);
        await harness.press(providerMessageId, answer);
        expect(await harness.notice(about("answered", providerMessageId))).toMatchObject({ answer });
      },
    );

    test("a message to an unreachable phone is taken, and reported failed for good", async () => {
      await harness.makeUnreachable(template.to);
      const { providerMessageId } = await harness.provider.sendTemplate(template, never);
      const notice = await harness.notice(about("failed", providerMessageId));
      expect(notice).toMatchObject({ permanent: true, reason: expect.stringMatching(/./) });
    });

    test("what is not wanted any more throws what it was given up with", async () => {
      const reason = new Error("not wanted");
      await expect(harness.provider.sendTemplate(template, AbortSignal.abort(reason))).rejects.toBe(reason);
    });

    test("what is no phone is refused for good, with a reason that does not hold it", async () => {
      const refusal = await harness.provider
        .sendTemplate({ ...template, to: "12ab" }, never)
        .catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(MessagingError);
      expect(refusal).toMatchObject({ permanent: true, reason: expect.not.stringContaining("12ab") });
    });
  });
};
