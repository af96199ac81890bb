import type { Message, Signer } from "./state.ts";

/** The signer with their messages (some, or all) marked as former: later events about those no longer count. */
export const former = (signer: Signer, which: (message: Message) => boolean = () => true): Signer => ({
  ...signer,
  messages: Object.fromEntries(
    Object.entries(signer.messages).map(([messageId, message]) => [
      messageId,
      which(message) ? { ...message, isFormer: true } : message,
    ]),
  ),
});
