import { createOwnService, type OwnServiceOptions } from "@rubrica/outbound";
import type { MessagingProvider } from "../port.ts";
import { forgetMessage, postMessage } from "./adapter.ts";
import { messageJson } from "./messages.ts";

/**
 * A provider that speaks docs/messaging-simulator.md, as the simulator does.
 * @throws {RangeError} when the URL or the key cannot be used.
 */
export const createHttpMessagingProvider = ({
  provider,
  ...options
}: OwnServiceOptions & Pick<MessagingProvider, "provider">): MessagingProvider => {
  const adapter = { service: createOwnService(options), clock: options.clock };
  return {
    provider,
    medium: "wpp",
    sendTemplate: (message, signal) => postMessage(adapter, messageJson({ kind: "template", ...message }), signal),
    sendLink: (message, signal) => postMessage(adapter, messageJson({ kind: "link", ...message }), signal),
    sendCopy: (message, signal) => postMessage(adapter, messageJson({ kind: "copy", ...message }), signal),
    sendReminder: (message, signal) => postMessage(adapter, messageJson({ kind: "reminder", ...message }), signal),
    sendNote: (message, signal) => postMessage(adapter, messageJson(message), signal),
    forget: (messageId, signal) => forgetMessage(adapter, messageId, signal),
  };
};
