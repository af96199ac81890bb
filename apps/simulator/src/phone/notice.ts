import type { Notice } from "@rubrica/events";
import { isoTime } from "@rubrica/runtime";

/** What became of a message, as it is kept until the service has it; `at` in milliseconds since the UNIX epoch. */
export type PhoneNotice = { providerMessageId: string; messageId: string; at: number } & (
  | { kind: "delivered" }
  | { kind: "read" }
  | { kind: "failed"; reason: string; permanent: boolean }
  | { kind: "answered"; answer: "continue" | "no_continue" }
);

/** A notice as the service is told. */
export const noticeOf = ({ at, ...notice }: PhoneNotice): Notice => ({ ...notice, at: isoTime(at) });
