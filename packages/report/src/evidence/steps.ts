import type { MessageKind, Provider } from "@rubrica/events";
import type { StepEvidence, StepKind } from "./evidence.ts";
import { mediaOf } from "./providers.ts";
import type { Recorded } from "./signer.ts";

/** Failures of one message that are told: a message is tried seven times. */
const MAX_FAILURES = 20;

type MessageOutcome = "Attempted" | "Sent" | "Delivered" | "Read" | "Failed";

/** What an event tells of: where there are no buttons, the first message has the link. */
const stepsIn = (event: Recorded): readonly StepKind[] => {
  if (event.type === "MessageSent" && event.data.withLink) return ["templateSent", "linkSent"];
  const step = stepOf(event);
  return step === null ? [] : [step];
};

const stepOf = (event: Recorded): StepKind | null => {
  // What is told after the end says nothing of how the signer came to the page.
  const ofMessage = (kind: MessageKind, outcome: MessageOutcome): StepKind | null =>
    kind === "template" || kind === "link" ? `${kind}${outcome}` : null;
  switch (event.type) {
    case "MessageAttempted":
      return ofMessage(event.data.kind, "Attempted");
    case "MessageSent":
      return "templateSent";
    case "SignatureLinkSent":
      return "linkSent";
    case "MessageDelivered":
      return ofMessage(event.data.kind, "Delivered");
    case "MessageRead":
      return ofMessage(event.data.kind, "Read");
    case "MessageFailed":
      return ofMessage(event.data.kind, "Failed");
    case "TemplateAnswered":
      return "answered";
    case "ContinueRefused":
      return "refused";
    case "SigningPageOpened":
      return "opened";
    default:
      return null;
  }
};

/** How a signer came to the page, by their own events, in order: nothing that no event tells. */
export const stepsOf = (
  events: readonly Recorded[],
  providers: ReadonlyMap<Recorded, Provider | null>,
): StepEvidence[] => {
  const steps: StepEvidence[] = [];
  const media = mediaOf(events);
  let failures = 0;
  for (const event of events) {
    const reason = event.type === "MessageFailed" ? event.data.reason : null;
    if (reason !== null) failures += 1;
    for (const step of stepsIn(event)) {
      const medium = media.get(event) ?? null;
      const known = steps.some((before) => before.step === step && before.medium === medium);
      if (reason === null ? known : failures > MAX_FAILURES) continue;
      steps.push({ step, at: event.metadata.at, reason, provider: providers.get(event) ?? null, medium });
    }
  }
  return steps;
};
